"""Where a chart comes from."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from infra.models.base import Model


def _version(value: str) -> str:
    if not re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?", value):
        raise ValueError(f"{value!r} is not a version; write one such as 88.5.3, without a range")
    return value


class ChartSpec(Model):
    """kube-prometheus-stack from elsewhere than its public repository, or in another version."""

    source: str | None = Field(default=None, min_length=1)
    """A repository (`https://...`), an OCI reference (`oci://...`), an archive (`.tgz`) or a directory; the
    last two relative to the project. Unset: the public repository."""
    version: Annotated[str, AfterValidator(_version)] | None = None
    """Of a repository or an OCI reference. Unset: the pinned one."""
