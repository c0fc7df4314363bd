"""Which cluster this is about, and a client for it: the one that the stack's resources go to."""

import json
import logging
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

_DEFAULT = "~/.kube/config"
_SECONDS = (3, 20)  # to connect, to read
_WAITED = re.compile(r"timed out\. \((connect|read) timeout=(?P<seconds>[\d.]+)\)")
_IN_CLUSTER = "KUBERNETES_SERVICE_HOST"


class NoClusterError(Exception):
    """There is no usable way to a cluster; the text says why, and what to set."""


def require_kubeconfig(environment: Mapping[str, str] = os.environ) -> None:
    """Raise NoClusterError where Pulumi's provider would fail on a path; inside a cluster none is needed.

    KUBECONFIG may name several files, of which one must exist, as for kubectl.
    """
    named = environment.get("KUBECONFIG", "")
    files = [Path(file) for file in named.split(os.pathsep) if file] or [Path(_DEFAULT).expanduser()]
    if any(file.is_file() for file in files) or (not named and _IN_CLUSTER in environment):
        return
    if named:
        raise NoClusterError(
            f"KUBECONFIG is {named}, and no such file is there; write the path of one that is"
        )
    raise NoClusterError(f"no kubeconfig: {files[0]} is not there; set KUBECONFIG to the path of one")


def connect() -> Any:
    """An `ApiClient` of the `kubernetes` package; nothing has been asked of the server yet.

    Read at each run, as Pulumi's Kubernetes provider does: KUBECONFIG and its current context, else
    the pod's own account. The package is imported here: it takes a third of a second.
    """
    import urllib3
    from kubernetes import client, config

    # Empty is unset, as for kubectl; the library takes neither for its default.
    kubeconfig = os.environ.get("KUBECONFIG") or _DEFAULT
    load: Any = config  # its functions bear no types
    access = client.Configuration()
    access.retries = 1
    try:
        with _errors_logged() as errors:
            load.load_kube_config(kubeconfig, client_configuration=access)
    except Exception as fault:  # a file that is no kubeconfig fails in as many ways as files do
        try:
            load.load_incluster_config(client_configuration=access)
        except config.ConfigException:
            raise NoClusterError(
                f"{kubeconfig} leads to no cluster ({_line(fault)}); set KUBECONFIG to a file that does"
            ) from None
    if errors:  # the program that should give a token; the library goes on as nobody
        raise NoClusterError(
            f"the kubeconfig's credentials cannot be had: {errors[0]}; log in, or mend its `users` entry"
        )
    if not access.verify_ssl:  # the kubeconfig says so; kubectl does not nag either
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    return client.ApiClient(access)


class Answer(NamedTuple):
    """What the API server says to one request."""

    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def message(self) -> str:
        """Of a refusal: what the server says, in a line."""
        try:
            return in_a_line(str(json.loads(self.text)["message"]))
        except (ValueError, TypeError, LookupError):
            return in_a_line(self.text)[:300] or str(self.status)

    @property
    def date(self) -> datetime | None:
        """When it was sent, by the server's clock; None where it does not say so."""
        try:
            found = parsedate_to_datetime(self.headers.get("Date", ""))
        except (ValueError, OverflowError):
            return None
        return found if found.tzinfo else found.replace(tzinfo=UTC)


def in_a_line(text: str) -> str:
    """What somebody else says, without characters that a terminal obeys."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def ask(
    api: Any,
    method: str,
    path: str,
    body: Any = None,
    *,
    query: Mapping[str, str] | None = None,
    content_type: str = "application/json",
    seconds: tuple[float, float] = _SECONDS,
) -> Answer:
    """One request to the server of an `ApiClient`, and its answer, refusals too.

    `content_type`: of the body, whose text is JSON in any case. `seconds`: to connect, and to wait for
    the answer.

    Raises:
        NoClusterError: there is no answer.
    """
    from kubernetes.client import ApiException
    from urllib3.exceptions import HTTPError

    wanted = api.param_serialize(
        method,
        path,
        query_params=list((query or {}).items()),
        header_params={"Accept": "application/json, */*", "Content-Type": content_type},
        body=body,
        auth_settings=["BearerToken"],
    )
    try:
        answer = api.call_api(*wanted, _request_timeout=seconds)
        text = answer.read().decode("utf-8", "replace")
        return Answer(int(answer.status), text, dict(answer.headers))
    except (HTTPError, ApiException) as fault:  # the latter of certificates that are not trusted
        said = f"does not answer ({_cause(fault)}); check KUBECONFIG and the cluster"
        raise NoClusterError(f"the API server {address(api)} {said}") from None


def address(api: Any) -> str:
    """Of the server, without a user and password, which its URL may hold."""
    host = str(api.configuration.host)
    return urlsplit(host).netloc.rpartition("@")[2] or host


def _cause(fault: Exception) -> str:
    """The innermost reason, without the library's own objects."""
    while isinstance(reason := getattr(fault, "reason", None), Exception):
        fault = reason
    stated = getattr(fault, "reason", None)  # of the library's own exception: a text
    text = _line(fault) if stated is None else " ".join(str(stated).split())
    text = re.sub(r"^(<.*?>|HTTPS?Connection(Pool)?\(.*?\)): ", "", text)
    waited = _WAITED.search(text)
    return f"nothing came within {waited['seconds']} s" if waited else text


def _line(fault: Exception) -> str:
    return " ".join(str(fault).split()).rstrip(".") or type(fault).__name__


@contextmanager
def _errors_logged() -> Iterator[list[str]]:
    """The errors that the library only logs, a line each, instead of on the screen."""
    heard: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(" ".join(record.getMessage().split()))

    handler, root = Handler(logging.ERROR), logging.getLogger()
    root.addHandler(handler)
    try:
        yield heard
    finally:
        root.removeHandler(handler)
