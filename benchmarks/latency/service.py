"""The online service: each answer costs a few milliseconds of one core."""

import hashlib
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT = 8080
_WORK = bytes(3_000_000)


class Handler(BaseHTTPRequestHandler):
    """Answers with a checksum; while it computes one, others do too."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        body = hashlib.sha256(_WORK).hexdigest().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    ThreadingHTTPServer(("", PORT), Handler).serve_forever()
