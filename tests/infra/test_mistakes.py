"""Every single mistake of a list is found in any stack that is otherwise sound, and where it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.load import StackFileError
from infra.plan import plan
from infra.source import path
from tests.generated.mistakes import MISTAKES
from tests.generated.stacks import SCRIPTS, SOUND

_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder of stack files, with the scripts that generated jobs name."""
    folder = tmp_path_factory.mktemp("stacks")
    (folder / "scripts").mkdir()
    for name, text in SCRIPTS.items():
        (folder / "scripts" / name).write_text(text)
    return folder


def found(folder: Path, data) -> set[tuple[str, str]]:
    """Code and place of whatever `colo check` finds in a stack."""
    file = folder / "generated.yaml"
    file.write_text(yaml.dump(data, Dumper=_DUMPER, sort_keys=False))
    try:
        findings = plan(file).findings
    except StackFileError as error:
        findings = error.findings
    return {(finding.code, finding.path) for finding in findings}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stack=SOUND, pick=st.randoms(use_true_random=False))
def test_a_mistake_in_a_sound_stack_is_found_where_it_stands(folder, stack, pick):
    before = found(folder, stack)
    overlooked = []
    for mistake in MISTAKES:
        wrong = json.loads(json.dumps(stack))
        place = mistake.make(wrong, pick)
        expected = (mistake.code, path(place or ()))
        if place is None or expected in before:
            continue  # no place for it, or a warning that stands there already
        if expected not in found(folder, wrong):
            overlooked.append((mistake.name, expected))
    assert overlooked == []
