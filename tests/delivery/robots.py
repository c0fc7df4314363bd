"""Stand-ins for the robots of DingTalk and WeCom: as strict, and they refuse in an HTTP 200 like them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

JSON = dict[str, Any]
DINGTALK, WECOM = "/robot/send", "/cgi-bin/webhook/send"
MOST_BYTES = {DINGTALK: 20000, WECOM: 4096}
MOST_A_MINUTE = 20
HOUR_MILLISECONDS = 3_600_000
OK = {"errcode": 0, "errmsg": "ok"}


@dataclass
class Robot:
    """One robot of a group: what it wants, and what it has been told."""

    sign_key: str | None = None
    keyword: str | None = None
    answers: list[Any] = field(default_factory=list)
    """Given before it looks at a message: an answer's JSON, or the status of an HTTP error."""
    told: list[JSON] = field(default_factory=list)
    """Messages that it accepted."""
    refused: list[JSON] = field(default_factory=list)
    """Answers by which it refused."""
    asked: list[float] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """The markdown of each accepted message."""
        return [said["markdown"].get("text") or said["markdown"]["content"] for said in self.told]


class Robots:
    """Both services on one address; a robot for each token."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self.robots: dict[str, Robot] = {}
        self._lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                status, answer = owner._answer(self.path, self.headers["Content-Type"], raw)
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(answer).encode())

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer((host, port), Handler)
        self.address = f"http://{host}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def add(self, path: str, token: str, **wants: Any) -> tuple[Robot, str]:
        """A robot, and its URL."""
        self.robots[token] = Robot(**wants)
        return self.robots[
            token
        ], f"{self.address}{path}?{'key' if path == WECOM else 'access_token'}={token}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, target: str, content_type: str, raw: bytes) -> tuple[int, JSON]:
        parts = urlsplit(target)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        robot = self.robots.get(query.get("key" if parts.path == WECOM else "access_token", ""))
        if robot is None:
            return 200, {"errcode": 93000 if parts.path == WECOM else 300005, "errmsg": "invalid token"}
        with self._lock:
            robot.asked.append(time.monotonic())
            if robot.answers:
                answer = robot.answers.pop(0)
                robot.refused.append(answer)
                return (answer, {}) if isinstance(answer, int) else (200, answer)
            fault = _fault(robot, parts.path, query, content_type, raw)
            if fault:
                robot.refused.append(fault)
                return 200, fault
            robot.told.append(json.loads(raw))
            return 200, OK


def _fault(robot: Robot, path: str, query: dict[str, str], content_type: str, raw: bytes) -> JSON | None:
    if sum(time.monotonic() - asked < 60 for asked in robot.asked) > MOST_A_MINUTE:
        return {"errcode": 130101, "errmsg": "send too fast, exceed 20 times per minute"}
    if not content_type.startswith("application/json"):
        return {"errcode": 43004, "errmsg": "require json"}
    said = json.loads(raw)
    if path == WECOM:
        return _wecom_fault(said)
    return _dingtalk_fault(robot, query, said, raw)


def _wecom_fault(said: JSON) -> JSON | None:
    if set(said) != {"msgtype", "markdown"} or said["msgtype"] != "markdown":
        return {"errcode": 40008, "errmsg": "invalid message type"}
    if not isinstance(content := said["markdown"].get("content"), str) or not content:
        return {"errcode": 44004, "errmsg": "empty content"}
    if len(content.encode()) > MOST_BYTES[WECOM]:
        return {"errcode": 40058, "errmsg": "markdown.content exceed max length 4096"}
    return None


def _dingtalk_fault(robot: Robot, query: dict[str, str], said: JSON, raw: bytes) -> JSON | None:
    if set(said) != {"msgtype", "markdown", "at"} or said["msgtype"] != "markdown":
        return {"errcode": 400101, "errmsg": "message type is unknown"}
    if len(raw) > MOST_BYTES[DINGTALK]:
        return {"errcode": 460101, "errmsg": "message too long, exceed 20000 bytes"}
    title, text = said["markdown"].get("title"), said["markdown"].get("text")
    if not (isinstance(title, str) and title and isinstance(text, str) and text):
        return {"errcode": 400105, "errmsg": "title and text are wanted"}
    at = said["at"]
    if not isinstance(at.get("isAtAll"), bool) or not isinstance(at.get("atMobiles"), list):
        return {"errcode": 400106, "errmsg": "at is malformed"}
    if robot.keyword and robot.keyword not in text:
        return {"errcode": 310000, "errmsg": "keywords not in content"}
    if robot.sign_key and not _signed(robot.sign_key, query):
        return {"errcode": 310000, "errmsg": "sign not match"}
    return None


def _signed(key: str, query: dict[str, str]) -> bool:
    stamp = query.get("timestamp", "0")
    wanted = hmac.new(key.encode(), f"{stamp}\n{key}".encode(), hashlib.sha256).digest()
    fresh = abs(time.time() * 1000 - int(stamp)) < HOUR_MILLISECONDS
    return fresh and query.get("sign") == base64.b64encode(wanted).decode()
