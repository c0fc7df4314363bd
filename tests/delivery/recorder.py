"""An HTTP server that keeps what it is sent, and gives prepared answers."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit


class Request(NamedTuple):
    """One request as it arrived."""

    path: str
    query: dict[str, str]
    body: Any


class Recorder:
    """Answers `{}`, or what is prepared for a path."""

    def __init__(self, answers: dict[str, Any] | None = None, host: str = "127.0.0.1", port: int = 0) -> None:
        self.requests: list[Request] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                query = {key: values[0] for key, values in parse_qs(parts.query).items()}
                owner.requests.append(Request(parts.path, query, json.loads(raw) if raw else None))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(json.dumps((answers or {}).get(parts.path, {})).encode())

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer((host, port), Handler)
        self.address = f"http://{host}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def sent_to(self, path: str) -> list[Request]:
        return [request for request in self.requests if request.path == path]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def wecom_company(host: str = "127.0.0.1", port: int = 0) -> Recorder:
    """The API by which applications of a WeCom company write to its members."""
    token = {"errcode": 0, "errmsg": "ok", "access_token": "an-hours-token"}
    sent = {"errcode": 0, "errmsg": "ok"}
    return Recorder({"/cgi-bin/gettoken": token, "/cgi-bin/message/send": sent}, host, port)
