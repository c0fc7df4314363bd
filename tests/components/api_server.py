"""A server on this machine that gives every request the same answer, and a kubeconfig that leads to it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit


class Asked(NamedTuple):
    method: str
    path: str
    query: dict
    content_type: str
    body: dict | None


class ApiServer:
    """`answer`: a status, and an object or a text."""

    def __init__(self):
        self.answer = (200, {})
        self.asked = []
        test = self

        class Handler(BaseHTTPRequestHandler):
            def reply(self):
                url, length = urlsplit(self.path), int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                query, kind = dict(parse_qsl(url.query, keep_blank_values=True)), self.headers["Content-Type"]
                test.asked.append(Asked(self.command, url.path, query, kind, body))
                status, said = test.answer
                raw = (said if isinstance(said, str) else json.dumps(said)).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_PATCH = reply  # noqa: N815

            def log_message(self, *_):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        self.address = f"127.0.0.1:{self._http.server_port}"

    def close(self):
        self._http.shutdown()
        self._http.server_close()


def status(message):
    """The body of a refusal."""
    return {"kind": "Status", "status": "Failure", "message": message}


def kubeconfig(server, context="x"):
    """Its text; `context`: the current one, of which there is only `x`."""
    entry = {"name": "x"}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": context,
        "clusters": [entry | {"cluster": {"server": server}}],
        "contexts": [entry | {"context": {"cluster": "x", "user": "x"}}],
        "users": [entry | {"user": {"token": "secret-token"}}],
    }
    return json.dumps(config)
