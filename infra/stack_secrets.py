"""Secrets that a stack names. Pulumi keeps their values; only the program itself asks for these."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import yaml

from infra.models import Stack
from infra.places import PROJECT

Stored = Callable[[str], bool | None]
"""Whether the value of a name is kept as a secret; None: there is none."""


def secret_names(stack: Stack) -> tuple[str, ...]:
    """What an update needs the values of."""
    if stack.monitoring is None:
        return ()
    return tuple(sorted({key for spec in stack.alerts.receivers for _, _, key in spec.secrets()}))


def beside(stack_file: Path) -> Stored | None:
    """What `Pulumi.<stack>.yaml` of the project says; None where there is no such file that can be read.

    Of values it sees only whether they are encrypted.
    """
    file = stack_file.resolve().parents[1] / f"Pulumi.{stack_file.stem}.yaml"
    try:
        said = yaml.safe_load(file.read_text("utf-8"))
        config = (said or {}).get("config") or {}
        kept = {str(key): isinstance(value, dict) and "secure" in value for key, value in config.items()}
    except (OSError, ValueError, AttributeError, yaml.YAMLError):
        return None
    return lambda name: kept.get(f"{PROJECT}:{name}")


class Config(Protocol):
    """What is asked of Pulumi's own."""

    def full_key(self, key: str) -> str: ...

    def get_secret(self, key: str) -> object: ...


def stored_in(config: Config) -> Stored:
    """What Pulumi itself was given for this run."""
    from pulumi.runtime.config import is_config_secret

    def stored(name: str) -> bool | None:
        return None if config.get_secret(name) is None else is_config_secret(config.full_key(name))

    return stored
