"""Logs of containers: the last lines of few, side by side, none waited for long."""

from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from infra.cluster.api_server import ApiServer, RefusedError
from infra.cluster.objects import moment

MOST = 24
"""Logs that one look reads; a node that is away costs `_SECONDS` for each."""
_TOGETHER = 8
_SECONDS = 2.0
_QUERY = {"tailLines": "200", "limitBytes": "131072", "timestamps": "true"}


@dataclass(frozen=True, order=True)
class Source:
    """A container whose log is wanted; `before`: as it ran the time before this."""

    namespace: str
    pod: str
    container: str
    before: bool = False

    def __str__(self) -> str:
        return f"kubectl logs -n {self.namespace} {self.pod} -c {self.container}" + (
            " --previous" if self.before else ""
        )


@dataclass(frozen=True)
class Log:
    """The last lines of a log, or why there are none."""

    lines: tuple[str, ...] = ()
    last: datetime | None = None
    """When the last line was written, by the node's clock."""
    refusal: str = ""

    @classmethod
    def of(cls, text: str) -> "Log":
        """From an answer with a time before each line."""
        stamped = [line.partition(" ") for line in text.splitlines()]
        times = [time for time in (moment(stamp[:19] + "Z") for stamp, _, _ in stamped) if time]
        return cls(tuple(line.rstrip() for _, _, line in stamped), times[-1] if times else None)


Logs = Mapping[Source, Log]


def read(server: ApiServer, wanted: Collection[Source]) -> Logs:
    """The logs of the first MOST of them. What may not be read is noted."""
    sources = sorted(wanted)[:MOST]
    if not sources:
        return {}
    with ThreadPoolExecutor(_TOGETHER) as pool:
        return dict(zip(sources, pool.map(lambda source: _log(server, source), sources), strict=True))


def _log(server: ApiServer, source: Source) -> Log:
    path = f"/api/v1/namespaces/{source.namespace}/pods/{source.pod}/log"
    query: dict[str, Any] = {**_QUERY, "container": source.container}
    if source.before:
        query["previous"] = "true"
    try:
        return Log.of(server.text(path, seconds=_SECONDS, **query))
    except RefusedError as fault:
        if fault.status == 403:
            server.note("pods/log", fault)
        return Log(refusal=str(fault))
