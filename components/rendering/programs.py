"""What pods have in common that run one of this project's programs, from a ConfigMap and by Python alone."""

import hashlib
from collections.abc import Mapping
from typing import Final

from pulumi_kubernetes.core.v1 import CapabilitiesArgs, SecurityContextArgs

from infra.vocabulary import DOMAIN

CONTENT: Final = f"{DOMAIN}/content"
"""Annotation of a pod: a changed program or setting makes a new one, which reads it."""


def content(data: Mapping[str, str]) -> str:
    """What tells the data of a ConfigMap from other data."""
    return hashlib.sha256("\0".join(data.values()).encode()).hexdigest()[:16]


def command(program: str, *arguments: str) -> list[str]:
    """Isolated and without site packages: what else the image holds takes no part in this."""
    return ["python3", "-I", "-S", "-u", program, *arguments]


def unprivileged() -> SecurityContextArgs:
    """Of a container that needs no rights of the kernel and writes nothing of its own."""
    return SecurityContextArgs(
        allow_privilege_escalation=False,
        read_only_root_filesystem=True,
        capabilities=CapabilitiesArgs(drop=["ALL"]),
    )
