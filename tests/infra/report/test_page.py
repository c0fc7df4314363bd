"""The page of `colo report`: whole or not there, and where it was asked for."""

import json
import os
import sys
from pathlib import Path

import pytest

from infra.report import page
from tests.infra.report.conftest import cannot
from tests.infra.report.world import WINDOW, samples


@pytest.fixture
def hours(server, prometheus):
    prometheus(samples()).behind(server)


def test_a_page_is_written_beside_the_text_always_the_same(colo, hours, tmp_path):
    file = tmp_path / "report.html"
    code, out, err = colo(*WINDOW, "--html", str(file), "--format", "json")
    assert code == 0
    assert json.loads(out)["stack"] == "test"
    assert err.startswith("wrote ")
    text = file.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.count("<svg ") == 10
    assert file.stat().st_mode & 0o777 == 0o666 & ~umask()
    colo(*WINDOW, "--html", str(tmp_path / "again.html"))
    assert (tmp_path / "again.html").read_text("utf-8") == text


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.fixture
def plain_page(monkeypatch):
    """Instead of one with charts, which take their time."""
    monkeypatch.setattr(page, "page", lambda _: "a page")


def test_a_page_that_cannot_be_finished_leaves_the_old_one(colo, hours, plain_page, tmp_path, monkeypatch):
    file = tmp_path / "pages" / "report.html"
    file.parent.mkdir()
    file.write_text("old")
    monkeypatch.setattr("infra.cli.report.os.replace", no_space)
    code, out, err = colo(*WINDOW, "--html", str(file))
    assert code == 1
    assert err == f"colo report: {file} cannot be written (No space left on device); name another\n"
    assert out.startswith("stack test\n")
    assert [found.name for found in file.parent.iterdir()] == ["report.html"]
    assert file.read_text() == "old"


def no_space(*_):
    raise OSError(28, "No space left on device")


def test_a_link_to_a_page_stays_one(colo, hours, plain_page, tmp_path):
    (tmp_path / "latest.html").symlink_to(tmp_path / "today.html")
    colo(*WINDOW, "--html", str(tmp_path / "latest.html"))
    assert (tmp_path / "latest.html").is_symlink()
    assert (tmp_path / "today.html").read_text() == "a page"


def test_without_matplotlib_it_is_said_how_to_have_it(colo, server, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = cannot(colo("--html", str(tmp_path / "report.html")))
    assert said.startswith("--html needs matplotlib, which is not installed; install the extra `charts`: ")
    assert [path for _, path, _ in server.asked] == ["/version/"]


def test_text_needs_no_matplotlib(colo, hours, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, page.__name__)
    assert colo(*WINDOW)[0] == 0


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        ("", "is a folder"),
        ("none/report.html", "is in a folder that is not there"),
        ("/dev/null", "/dev/null is no plain file"),
        ("/proc/report.html", "/proc/report.html cannot be written ("),
        ("x" * 300, "cannot be written (File name too long); name another"),
    ],
)
def test_a_place_for_the_page_that_is_none_is_told(colo, tmp_path, file, complaint):
    assert complaint in cannot(colo("--html", str(Path(tmp_path) / file)))
