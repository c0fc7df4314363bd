"""What a user sees while something takes long."""

from __future__ import annotations

import io
import re
import time

import pytest

from sandbox.progress import Progress, duration


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.44, "0.4 s"), (12.4, "12 s"), (59.96, "1 min 00 s"), (185, "3 min 05 s")]
)
def test_durations_read_as_people_say_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_only_outermost_phases_are_kept_for_the_summary() -> None:
    report = Progress(io.StringIO())
    with report.phase("outer"), report.phase("inner"):
        pass
    assert [phase.name for phase in report.phases] == ["outer"]


def test_a_failed_phase_is_not_called_done_and_indents_no_more() -> None:
    out = io.StringIO()
    report = Progress(out)
    with pytest.raises(ValueError, match="x"), report.phase("outer"):
        raise ValueError("x")
    report.say("next")
    assert out.getvalue() == "outer ...\nnext\n"


def test_a_long_phase_reminds_of_itself_with_its_detail() -> None:
    out = io.StringIO()
    report = Progress(out, heartbeat_seconds=0.02)
    with report.phase("compile") as step:
        step.detail = lambda: "7 packages"
        while "packages" not in out.getvalue():
            time.sleep(0.01)
    assert re.search(r"^  compile: \d+\.\d s, 7 packages$", out.getvalue(), re.MULTILINE)
