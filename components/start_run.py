"""The program of a scheduled job's pod: makes the TFJob of one run, and lasts as long as that trains.

Its end is the run's: exit 0 when the TFJob has succeeded, 1 when it has failed, was refused or was
deleted. It knows nothing that is not in the cluster, so a pod that takes over from one that was
preempted finds the TFJob there and goes on waiting. It runs in the job's own image, so it needs Python
3.8 and its standard library only.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import ssl
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
MANIFEST = "tfjob.json"
POLL_SECONDS = 5.0
TIMEOUT_SECONDS = 30.0
# What asking again would not change. All else may pass: a webhook that does not answer, an API server that
# starts and knows neither accounts nor TFJobs yet.
_REFUSED = (400, 403, 404, 409, 422)
_GONE = (404,)
_EXIT_STOPPED = 128 + signal.SIGTERM


class RunError(Exception):
    """The run has failed; the text says how."""


class Answer(NamedTuple):
    """What the API server said."""

    status: int
    body: dict[str, Any]


class Api:
    """The tfjobs of one namespace, as the pod's own account may use them."""

    def __init__(self, server: str, namespace: str, account: Path = ACCOUNT) -> None:
        self._url = f"{server}/apis/kubeflow.org/v1/namespaces/{namespace}/tfjobs"
        self._token = account / "token"
        authority = account / "ca.crt"
        self._tls = ssl.create_default_context(cafile=str(authority)) if authority.exists() else None

    def create(self, manifest: dict[str, Any]) -> Answer:
        """Ask for a new TFJob; the answer may be a refusal."""
        return self._patiently(self._url, json.dumps(manifest).encode(), _REFUSED)

    def get(self, name: str) -> Answer:
        """Ask for one TFJob; the answer may be that there is none."""
        return self._patiently(f"{self._url}/{name}", None, _GONE)

    def _patiently(self, url: str, body: bytes | None, final: tuple[int, ...]) -> Answer:
        """Ask until the server says yes, or something final."""
        told = ""
        while True:
            try:
                answer = self._once(url, body)
                judged = answer.body.get("kind") == "Status"  # and not the page of a proxy
                if answer.status < 400 or (judged and answer.status in final):
                    return answer
                trouble = said(answer)
            except (OSError, http.client.HTTPException, ValueError) as fault:
                trouble = str(fault) or type(fault).__name__
            if trouble != told:
                print(f"asks again: {trouble}")
                told = trouble
            time.sleep(POLL_SECONDS)

    def _once(self, url: str, body: bytes | None) -> Answer:
        token = self._token.read_text()  # read each time: the kubelet renews it
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(url, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS, context=self._tls) as answer:
                return Answer(answer.status, json.load(answer))
        except urllib.error.HTTPError as refusal:
            return Answer(refusal.code, _json(refusal.read()))


def said(answer: Answer) -> str:
    """The server's message, or else its status."""
    return str(answer.body.get("message") or f"the API server answers {answer.status}")


def _json(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def owned(manifest: dict[str, Any], run: str, uid: str) -> dict[str, Any]:
    """The TFJob of one run: called as the Job that starts it, and deleted with it."""
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": run, "uid": uid}
    metadata = {**manifest["metadata"], "name": run, "ownerReferences": [owner]}
    return {**manifest, "metadata": metadata}


def start(api: Api, tfjob: dict[str, Any]) -> None:
    """Make the TFJob, unless this very run has it already; raises RunError if it is refused."""
    name = tfjob["metadata"]["name"]
    answer = api.create(tfjob)
    if answer.status == 409:
        there = api.get(name).body.get("metadata", {}).get("ownerReferences", [])
        uids = {owner["uid"] for owner in tfjob["metadata"]["ownerReferences"]}
        if not uids & {owner.get("uid") for owner in there}:
            raise RunError(f"{name}: a TFJob of this name is there and is not of this run")
        print(f"{name}: goes on waiting")
    elif answer.status >= 400:
        raise RunError(f"{name}: refused: {said(answer)}")


def wait(api: Api, name: str) -> None:
    """Return when the TFJob has succeeded, saying each state on the way; raises RunError if it does not."""
    told = ""
    while True:
        answer = api.get(name)
        if answer.status == 404:
            raise RunError(f"{name}: was deleted before it ended")
        state, message = newest(answer.body)
        if state != told:
            print(f"{name}: {state}")
            told = state
        if state == "Succeeded":
            return
        if state == "Failed":
            raise RunError(f"{name}: {message}")
        time.sleep(POLL_SECONDS)


def newest(tfjob: dict[str, Any]) -> tuple[str, str]:
    """The last condition that holds, with its message."""
    holding = [c for c in tfjob.get("status", {}).get("conditions") or [] if c.get("status") == "True"]
    for condition in holding:
        if condition["type"] in ("Succeeded", "Failed"):
            return condition["type"], condition.get("message", "")
    return (holding[-1]["type"], holding[-1].get("message", "")) if holding else ("Waiting", "")


def stop(*_: object) -> None:
    """Process 1 has no default for SIGTERM."""
    sys.exit(_EXIT_STOPPED)


def main() -> int:
    """Start the run that the environment names, and wait for its end."""
    signal.signal(signal.SIGTERM, stop)
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
    manifest = json.loads(Path(__file__).with_name(MANIFEST).read_text("utf-8"))
    api = Api(f"https://{f'[{host}]' if ':' in host else host}:{port}", manifest["metadata"]["namespace"])
    tfjob = owned(manifest, os.environ["RUN_NAME"], os.environ["RUN_UID"])
    try:
        start(api, tfjob)
        wait(api, tfjob["metadata"]["name"])
    except RunError as fault:
        print(fault)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
