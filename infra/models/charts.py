"""Where a chart comes from."""

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, Field

from infra.models.base import Fault, Model


def _version(value: str) -> str:
    if not re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?", value):
        raise ValueError(
            f"{value!r} is not a version; write three numbers such as 1.2.3, without a v or a range"
        )
    return value


def _source(value: str) -> str:
    scheme, remote, rest = value.rpartition("://")
    if remote and "@" in rest.partition("/")[0]:
        raise ValueError("the address holds a user; leave it out, and let this machine's Helm log in")
    if remote and scheme not in ("https", "http", "oci"):
        raise ValueError(f"{value!r} is no source of charts; write https://..., oci://..., or a path")
    if not remote and value.startswith(("/", "~")):
        raise ValueError(f"{value!r} is on one machine only; write a path relative to the project")
    return value


class ChartSpec(Model):
    """A chart from elsewhere than its public place, or in another version."""

    source: Annotated[str, AfterValidator(_source), Field(min_length=1)] | None = None
    """A repository (`https://...`), the chart's OCI reference (`oci://...`), an archive (`.tgz`) or a
    directory; the last two relative to the project. Unset: the public place."""
    version: Annotated[str, AfterValidator(_version)] | None = None
    """Of a repository or an OCI reference. Unset: the pinned one."""

    @property
    def path(self) -> str | None:
        """The archive or directory; None: it comes over the network."""
        return None if self.source is None or "://" in self.source else self.source

    def faults(self) -> Iterator[Fault]:
        if self.path is not None and self.version is not None:
            yield ("version",), f"has no effect on {self.path}, which is one version; remove it"
