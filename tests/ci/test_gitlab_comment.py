"""One comment a stack on a merge request, kept up to date."""

from __future__ import annotations

import importlib.util
import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from infra.places import ROOT


@pytest.fixture
def comment(tmp_path):
    """The script, and a file for it."""
    spec = importlib.util.spec_from_file_location("gitlab_comment", ROOT / "ci" / "gitlab_comment.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def run(stack, text):
        (tmp_path / "comment.md").write_bytes(text if isinstance(text, bytes) else text.encode())
        module.main(stack, tmp_path / "comment.md")

    return run


@pytest.fixture
def notes(monkeypatch):
    """The notes of a merge request, behind GitLab's API."""
    held: list[dict] = [{"id": n, "body": f"talk {n}"} for n in range(100)]

    class Api(BaseHTTPRequestHandler):
        def answer(self, data):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(data).encode())

        def body(self):
            assert self.headers["PRIVATE-TOKEN"] == "token"
            return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

        def do_GET(self):
            page = int(self.path.rpartition("page=")[2])
            self.answer(held[100 * (page - 1) : 100 * page])

        def do_POST(self):
            held.append({"id": len(held), "body": self.body()})
            self.answer(held[-1])

        def do_PUT(self):
            held[int(self.path.rpartition("/")[2])]["body"] = self.body()
            self.answer({})

        def log_message(self, *arguments):
            """Silence."""

    server = HTTPServer(("127.0.0.1", 0), Api)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("CI_API_V4_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("CI_PROJECT_ID", "1")
    monkeypatch.setenv("CI_MERGE_REQUEST_IID", "2")
    monkeypatch.setenv("COMMENT_TOKEN", "token")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield held
    server.shutdown()
    server.server_close()


def test_the_first_preview_of_a_stack_makes_a_comment_and_the_next_changes_it(comment, notes):
    comment("dev", "one")
    comment("prod", "other")
    comment("dev", "two")
    assert [note["body"].splitlines()[-1] for note in notes[100:]] == ["two", "other"]


def test_a_text_that_is_cut_within_a_character_is_written_all_the_same(comment, notes):
    comment("dev", "数据".encode()[:-1])
    assert "数" in notes[-1]["body"]
