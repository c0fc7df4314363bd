"""Dashboards of one's own."""

import re
from typing import Annotated

from pydantic import AfterValidator

from infra.models.base import Model
from infra.models.names import DnsLabel, text


def _file(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}\.json", value):
        raise ValueError(f"{value!r} is not a dashboard; write the name of a .json file in stacks/dashboards")
    return value


Folder = Annotated[
    str,
    *text(
        r"(?!\.{1,2}$)[^/\\]+",
        100,
        r"write a name without / and \, and not . or .., as in Vision team",
        "the name of a folder",
    ),
]


class DashboardSpec(Model):
    """A dashboard as Grafana exports it, beside those of this project."""

    name: DnsLabel
    file: Annotated[str, AfterValidator(_file)]
    """A file of stacks/dashboards."""
    folder: Folder = "Colocation"
    """The folder in Grafana."""
