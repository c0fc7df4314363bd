"""The program of the alert relay: takes alerts from Alertmanager and tells them to robots of group chats.

Alertmanager takes any HTTP 200 for a delivery, and robots refuse with a 200. So it gets a 200 only where the
robot has accepted, and a 5xx else: after that it tries again, which it does not after a 4xx. It needs Python
3.9 and its standard library only. Secrets are files, read for each message, and in no log or answer.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import re
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

CONFIG = "relay.json"
PORT = 8080
HEALTH_PATH = "/healthz"
MESSAGES_A_MINUTE = 20  # what robots of both kinds allow; DingTalk shuts out for ten minutes who sends more
MOST_BYTES = {"dingtalk": 18000, "wecom": 4096}
"""Of a message's text in UTF-8. DingTalk's limit is 20000 for all that is sent."""
TIMEOUT_SECONDS = 10.0
_LONGEST_REQUEST = 32 * 2**20
_LONGEST_ANSWER = 2**16
_CUT = "…"


class RelayError(Exception):
    """The message was not delivered; the status says whether Alertmanager tries again, the text says why."""

    def __init__(self, status: int, text: str) -> None:
        self.status = status
        super().__init__(text)


class Message(NamedTuple):
    """What a group chat shows."""

    title: str
    text: str


def message(robot: Mapping[str, Any], config: Mapping[str, Any], group: Mapping[str, Any]) -> Message:
    """A group of alerts in words, as many as the robot takes."""
    room, line_end = MOST_BYTES[robot["kind"]], "  \n" if robot["kind"] == "dingtalk" else "\n"
    title = heading(config, group, robot.get("keyword") or "")
    blocks = [line_end.join(described(alert, config)) for alert in group["alerts"]]

    def end(shown: int) -> str:
        left_out = config["words"]["left_out"].format(shown=shown, all=len(blocks))
        return "".join(
            f"\n\n{line}" for line in ([left_out] if shown < len(blocks) else []) + mentions(robot)
        )

    text, shown = f"### {title}", 0
    while (
        shown < len(blocks) and _size(longer := f"{text}\n\n{blocks[shown]}") + _size(end(shown + 1)) <= room
    ):
        text, shown = longer, shown + 1
    if blocks and not shown:
        text, shown = cut(f"{text}\n\n{blocks[0]}", room - _size(end(1))), 1
    return Message(title, text + end(shown))


def heading(config: Mapping[str, Any], group: Mapping[str, Any], keyword: str) -> str:
    """`[FIRING 2] JobFailed kubeflow mnist`, and the robot's keyword where that does not say it yet."""
    words, common = config["words"], group.get("commonLabels") or {}
    firing = sum(alert.get("status") == "firing" for alert in group["alerts"])
    state = f"{words['firing']} {firing}" if firing else words["resolved"]
    named = [common.get(label) for label in ("alertname", "namespace", config["job_label"])]
    title = cut(" ".join([f"[{state}]", *(str(name) for name in named if name)]), 256)
    return title if keyword in title else f"{title} {keyword}"


def described(alert: Mapping[str, Any], config: Mapping[str, Any]) -> list[str]:
    """The lines that tell of one alert."""
    words, labels, texts = config["words"], alert.get("labels") or {}, alert.get("annotations") or {}
    state = words["resolved"] if alert.get("status") == "resolved" else words["firing"]
    severity = labels.get("severity", "")
    name, summary = labels.get("alertname", ""), texts.get("summary")
    fields = (
        ("severity", words["severities"].get(severity, severity)),
        ("cluster", labels.get("cluster") or config["cluster"]),
        ("namespace", labels.get("namespace")),
        ("job", labels.get(config["job_label"])),
        ("since", since(str(alert.get("startsAt", "")))),
    )
    links = (("runbook", texts.get("runbook_url")), ("source", alert.get("generatorURL")))
    return [
        f"**[{state}] {name}**" + (f" {summary}" if summary else ""),
        *(f"> {words[field]}: {value}" for field, value in fields if value),
        *filter(None, str(texts.get("description") or "").splitlines()),
        *(link(words[kind], str(url)) for kind, url in links if url),
    ]


def link(word: str, url: str) -> str:
    """A link where it leads anywhere; a runbook may be a file of the project."""
    return f"[{word}]({url})" if url.startswith(("http://", "https://")) else f"> {word}: {url}"


def since(text: str) -> str:
    """`2026-11-30T10:00:00.123Z` for people; what is written otherwise stays as it is."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)", text)
    return f"{found[1]} {found[2]} {'UTC' if found[4] == 'Z' else found[4]}" if found else text


def mentions(robot: Mapping[str, Any]) -> list[str]:
    """A last line that calls members; none where there are none to call."""
    if robot["kind"] == "wecom":
        calls = [f"<@{user}>" for user in robot["mentions"]]
    else:
        calls = [f"@{mobile}" for mobile in robot["mentions"]]
    return [" ".join(calls)] if calls else []


def cut(text: str, most_bytes: int) -> str:
    """No more than so many bytes of UTF-8, and whole characters."""
    if _size(text) <= most_bytes:
        return text
    return text.encode()[: most_bytes - _size(_CUT)].decode(errors="ignore") + _CUT


def _size(text: str) -> int:
    return len(text.encode())


def body(robot: Mapping[str, Any], said: Message) -> dict[str, Any]:
    """The JSON that a robot takes."""
    if robot["kind"] == "wecom":
        return {"msgtype": "markdown", "markdown": {"content": said.text}}
    called = {"atMobiles": robot["mentions"], "isAtAll": robot["everyone"]}
    return {"msgtype": "markdown", "markdown": {"title": said.title, "text": said.text}, "at": called}


def signed(url: str, key: str, milliseconds: int) -> str:
    """The URL of a DingTalk robot that wants to know who sends: valid for an hour."""
    digest = hmac.new(key.encode(), f"{milliseconds}\n{key}".encode(), hashlib.sha256).digest()
    sign = quote_plus(base64.b64encode(digest))
    return f"{url}{'&' if urlsplit(url).query else '?'}timestamp={milliseconds}&sign={sign}"


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


class Pace:
    """Lets so many messages a minute through, over any minute."""

    def __init__(self, most: int = MESSAGES_A_MINUTE) -> None:
        self._most, self._lock = most, threading.Lock()
        self._sent: deque[float] = deque()

    def wait_seconds(self, now: float) -> float:
        """0, and it counts as sent; or how long until there is room again."""
        with self._lock:
            while self._sent and now - self._sent[0] >= 60:
                self._sent.popleft()
            if len(self._sent) < self._most:
                self._sent.append(now)
                return 0
            return 60 - (now - self._sent[0])


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A robot's URL is a secret; it goes nowhere else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Relay:
    """Knows the robots, and how much each has been told lately."""

    def __init__(self, config: Mapping[str, Any], secrets: Path) -> None:
        self.config, self._secrets = config, secrets
        self._paces: dict[str, Pace] = {}
        self._lock = threading.Lock()
        self._opener = urllib.request.build_opener(_NoRedirects)

    def deliver(self, path: str, raw: bytes) -> str:
        """Tell a robot of a group of alerts; raises RelayError unless it has accepted."""
        robot = self.config["robots"].get(path)
        if robot is None:
            raise RelayError(404, "no robot has this path")
        group = _group(raw)
        url = self._secret(robot["url_file"])
        if not _is_url(url):
            raise RelayError(502, f"the secret {robot['url_file']} holds no URL")
        if (wait := self._pace(url).wait_seconds(time.monotonic())) > 0:
            raise RelayError(
                503, f"{MESSAGES_A_MINUTE} messages in a minute are enough; again in {wait:.0f} s"
            )
        key = self._secret(robot["sign_file"]) if robot.get("sign_file") else ""
        sent = body(robot, message(robot, self.config, group))
        target = signed(url, key, int(time.time() * 1000)) if key else url
        try:
            self._post(target, json.dumps(sent, ensure_ascii=False).encode())
        except RelayError as fault:
            raise RelayError(fault.status, _without(str(fault), target, url, key)) from None
        return "delivered"

    def _post(self, url: str, raw: bytes) -> None:
        request = urllib.request.Request(url, raw, {"Content-Type": "application/json; charset=utf-8"})
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
                said = answer.read(_LONGEST_ANSWER)
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise RelayError(502, f"the robot answers HTTP {refusal.code}") from None
        except OSError as fault:
            raise RelayError(502, f"the robot does not answer: {getattr(fault, 'reason', fault)}") from None
        except (http.client.HTTPException, ValueError) as fault:  # their texts hold the URL
            raise RelayError(502, f"the robot does not answer: {type(fault).__name__}") from None
        try:
            code, text = (found := json.loads(said))["errcode"], found.get("errmsg", "")
        except (ValueError, TypeError, LookupError, RecursionError):
            raise RelayError(502, "the robot answers, but not as a robot does") from None
        if code != 0:
            raise RelayError(502, f"the robot refuses: {text} (errcode {code})")

    def _secret(self, name: str) -> str:
        try:
            return (self._secrets / name).read_text("utf-8").strip()
        except (OSError, ValueError):
            raise RelayError(502, f"the secret {name} cannot be read") from None

    def _pace(self, url: str) -> Pace:
        """Of a robot, which several receivers may share."""
        with self._lock:
            return self._paces.setdefault(url, Pace())


def _group(raw: bytes) -> Mapping[str, Any]:
    try:
        group = json.loads(raw)
        told = [group, *group["alerts"]]
        texts = [part.get(key) or {} for part in told for key in ("labels", "annotations", "commonLabels")]
        if all(isinstance(value, str) for text in texts for value in text.values()):
            return dict(group)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        pass
    raise RelayError(400, "this is not what Alertmanager sends to a webhook")


def _without(text: str, *secrets: str) -> str:
    """A text in which no secret stands, nor a part of one that matters."""
    parts = {part for secret in secrets for part in (secret, quote(secret), *_values(secret)) if part}
    for part in sorted(parts, key=len, reverse=True):
        text = text.replace(part, "...")
    return text


def _values(url: str) -> list[str]:
    return [value for _, value in parse_qsl(urlsplit(url).query) if len(value) > 5]


class Handler(BaseHTTPRequestHandler):
    """HTTP around a relay."""

    timeout = TIMEOUT_SECONDS
    relay: Relay

    def do_GET(self) -> None:
        """Whether it works."""
        healthy = self.path == HEALTH_PATH
        self._answer(200 if healthy else 404, "ok" if healthy else "nothing is here")

    def do_POST(self) -> None:
        """One group of alerts for one robot."""
        try:
            length = int(self.headers.get("Content-Length") or 0)
            if not 0 <= length <= _LONGEST_REQUEST:
                raise RelayError(413, "the request is too long")
            status, text = 200, self.relay.deliver(self.path, self.rfile.read(length))
        except RelayError as fault:
            status, text = fault.status, str(fault)
        except ValueError:
            status, text = 400, "the request cannot be read"
        known = self.path in self.relay.config["robots"]  # else it may be anything, a secret too
        print(f"{self.path if known else 'elsewhere'}: {status} {text}")
        self._answer(status, text)

    def _answer(self, status: int, text: str) -> None:
        raw = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: Any) -> None:
        """Nothing: what matters is printed."""


class Server(ThreadingHTTPServer):
    """Listens on IPv6 too where the kernel has it: pods of some clusters have no other address."""

    address_family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET

    def server_bind(self) -> None:
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


def server(config: Mapping[str, Any], secrets: Path, port: int = PORT) -> Server:
    """A server that listens; it serves when told to."""
    handler = type("Bound", (Handler,), {"relay": Relay(config, secrets)})
    return Server(("", port), handler)


def main(arguments: Sequence[str]) -> int:
    """Serve until told to stop. Argument: the folder of the secrets."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # process 1 has no default for it
    config = json.loads(Path(__file__).with_name(CONFIG).read_text("utf-8"))
    with server(config, Path(arguments[1])) as listening:
        print(f"listens on {PORT}, {len(config['robots'])} robots")
        listening.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
