"""Asks an API server: lists, gets and logs, nothing else.

Objects come as the API writes them. The client library is imported when there is something to ask.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from components import cluster_access
from components.cluster_access import Answer, NoClusterError
from infra.cluster.objects import Object, Unread

_FIRST_SECONDS = (2, 3)  # to connect, to read; tried twice: a server that is away is told soon
_SECONDS = (2, 15)
_PAGE = 500  # objects an answer
_ANONYMOUS = "system:anonymous"


class RefusedError(Exception):
    """The API server answered one request with an error."""

    def __init__(self, status: int, reason: str) -> None:
        self.status = status
        super().__init__(reason)


class ApiServer:
    """The server that the stack's resources go to; each list is asked for once."""

    def __init__(self) -> None:
        """Raises NoClusterError where there is no way to one; nothing has been asked yet."""
        self._api = cluster_access.connect()
        self.address = cluster_access.address(self._api)
        self.now = datetime.now(UTC)
        """By the server's clock, as of `version`: the times of its objects are by that one too."""
        self.here = self.now
        """By the clock here, at the same moment."""
        self._lists: dict[tuple[Any, ...], list[Object] | None] = {}
        self._unread: dict[str, Unread] = {}

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What could not be read so far, a kind once."""
        return tuple(self._unread.values())

    def version(self) -> Object:
        """What the server says of itself. The first thing to ask: a server that is away is told soon.

        Raises:
            NoClusterError: it does not answer, does not let us in, or is something else.
        """
        try:
            answer = self._answer("/version/", {}, _FIRST_SECONDS)
        except RefusedError as fault:
            raise self._closed(f"refuses to say its version ({fault})") from None
        found = self._parsed(answer)
        if "gitVersion" not in found:
            raise self._closed("answers, but not as Kubernetes does")
        if answer.date is not None:
            self.now, self.here = answer.date, datetime.now(UTC)
        return found

    def items(self, path: str, *, absent_is_empty: bool = False, **query: str) -> list[Object] | None:
        """All objects at a path, page by page; None if they may not be read, and it is noted.

        `absent_is_empty`: a kind that the server does not know has no objects.
        """
        known = (path, *sorted(query.items()))
        if known not in self._lists:
            try:
                self._lists[known] = [item for page in self._pages(path, query) for item in page]
            except RefusedError as fault:
                empty = absent_is_empty and fault.status == 404
                self._lists[known] = [] if empty else None
                if not empty:
                    self.note(path.rpartition("/")[2], fault)
        return self._lists[known]

    def get(self, path: str, **query: str) -> Object:
        """One object; raises RefusedError."""
        return self._parsed(self._answer(path, query, _SECONDS))

    def text(self, path: str, *, seconds: float, **query: str) -> str:
        """An answer that is no object, such as a log; raises RefusedError, also after that time."""
        try:
            return self._answer(path, query, (2, seconds)).text
        except NoClusterError as fault:  # the server is there; what it asks in turn is not
            raise RefusedError(504, str(fault)) from None

    def note(self, kind: str, fault: RefusedError) -> None:
        """Keep in mind that something could not be read."""
        self._unread.setdefault(kind, Unread(kind=kind, reason=str(fault)))

    def _pages(self, path: str, query: Mapping[str, str]) -> Iterator[list[Object]]:
        token = ""
        while True:
            more = {"continue": token} if token else {}
            page = self.get(path, **query, limit=str(_PAGE), **more)
            yield page.get("items") or []
            token = (page.get("metadata") or {}).get("continue") or ""
            if not token:
                return

    def _answer(self, path: str, query: Mapping[str, str], seconds: tuple[float, float]) -> Answer:
        answer = cluster_access.ask(self._api, "GET", path, query=query, seconds=seconds)
        if not 200 <= answer.status <= 299:
            raise self._refusal(answer.status, answer.message)
        return answer

    def _parsed(self, answer: Answer) -> Object:
        try:
            found = json.loads(answer.text)
        except ValueError:
            raise self._closed("answers, but not as Kubernetes does") from None
        if not isinstance(found, dict):
            raise self._closed("answers, but not as Kubernetes does")
        return found

    def _refusal(self, status: int, reason: str) -> Exception:
        if status == 401 or (status == 403 and _ANONYMOUS in reason):
            return NoClusterError(
                f"the API server {self.address} does not accept these credentials ({reason}); "
                "log in anew, or set KUBECONFIG to credentials that are valid"
            )
        return RefusedError(status, reason)

    def _closed(self, what: str) -> NoClusterError:
        return NoClusterError(f"the API server {self.address} {what}; check KUBECONFIG and the cluster")
