"""The sandbox's API server, for many small requests from several threads, and for watches."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import urllib3

from components import cluster_access
from sandbox import paths

Object = dict[str, Any]
_JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
_APPLY = "application/apply-patch+yaml"
_MANAGER = "bench-day"
_SECONDS = 60.0


class ApiError(Exception):
    """The server refused a request."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(f"{status}: {message}")


class Api:
    """Requests that raise what the server refuses."""

    def __init__(self) -> None:
        os.environ["KUBECONFIG"] = str(paths.kubeconfig())
        client = cluster_access.connect()
        self._host: str = client.configuration.host
        self._pool = client.rest_client.pool_manager
        access = client.configuration
        # The scheduler makes its own certificate anew at each start; it is a program of this machine.
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        self._others = urllib3.PoolManager(
            cert_reqs="CERT_NONE", cert_file=access.cert_file, key_file=access.key_file
        )
        self._kinds: dict[tuple[str, str], Object] = {}

    def call(self, method: str, path: str, body: Any = None, *, content: str = _JSON, **query: str) -> Object:
        """One request; raises ApiError."""
        answer = self._pool.request(
            method,
            self._url(path, query),
            body=None if body is None else json.dumps(body),
            headers={"Content-Type": content, "Accept": _JSON},
            timeout=_SECONDS,
            retries=False if method == "DELETE" else None,
        )
        text = answer.data.decode()
        if answer.status >= 300:
            raise ApiError(answer.status, text[:500])
        found: Object = json.loads(text)
        return found

    def text(self, url: str) -> str:
        """What another program of the control plane answers to the same credentials."""
        answer = self._others.request("GET", url, timeout=_SECONDS)
        if answer.status >= 300:
            raise ApiError(answer.status, answer.data.decode()[:500])
        return str(answer.data.decode())

    def items(self, path: str, **query: str) -> list[Object]:
        return list(self.call("GET", path, **query).get("items") or [])

    def watch(self, path: str, version: str) -> Iterator[Object]:
        """Events from a version on, until the server ends the watch."""
        query = {"watch": "true", "resourceVersion": version, "timeoutSeconds": "3000"}
        answer = self._pool.request("GET", self._url(path, query), preload_content=False, timeout=None)
        try:
            rest = b""
            for chunk in answer.stream(amt=None):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    yield json.loads(line)
        finally:
            answer.close()

    def apply(self, manifest: Object) -> bool:
        """Create or change an object by server-side apply; whether it is new."""
        path = self.path(manifest)
        is_new = not self.exists(path)
        query = {"fieldManager": _MANAGER, "force": "true"}
        self.call("PATCH", path, manifest, content=_APPLY, **query)
        return is_new

    def create(self, manifest: Object) -> None:
        self.call("POST", self._collection(manifest), manifest)

    def path(self, manifest: Object) -> str:
        """Of an object on the server."""
        return f"{self._collection(manifest)}/{manifest['metadata']['name']}"

    def exists(self, path: str) -> bool:
        try:
            self.call("GET", path)
        except ApiError as error:
            if error.status == 404:
                return False
            raise
        return True

    def delete(self, path: str, **query: str) -> None:
        """An object or many; one that is not there is no fault, nor that many take the server long."""
        try:
            self.call("DELETE", path, **query)
        except urllib3.exceptions.HTTPError:
            return
        except ApiError as error:
            if error.status not in (404, 504):
                raise

    def _collection(self, manifest: Object) -> str:
        version, kind = manifest["apiVersion"], manifest["kind"]
        group = f"/api/{version}" if version == "v1" else f"/apis/{version}"
        if (version, kind) not in self._kinds:
            for found in self.call("GET", group)["resources"]:
                if "/" not in found["name"]:
                    self._kinds[version, found["kind"]] = found
        known = self._kinds[version, kind]
        namespace = f"/namespaces/{manifest['metadata']['namespace']}" if known["namespaced"] else ""
        return f"{group}{namespace}/{known['name']}"

    def _url(self, path: str, query: dict[str, str]) -> str:
        return f"{self._host}{path}" + (f"?{urlencode(query)}" if query else "")
