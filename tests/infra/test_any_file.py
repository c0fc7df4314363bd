"""Whatever a stack file holds, it becomes findings with a place, a fault and a remedy; never a traceback."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.layers import layered
from infra.load import StackFileError
from infra.places import stack_file
from infra.plan import plan

_DATA = dict(layered(stack_file("dev")).source.data)
del _DATA["extends"]  # what it says stands in the data already
DEV = yaml.safe_dump(_DATA, allow_unicode=True)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.dates(),
    st.binary(max_size=4),
    st.sampled_from(["2Gi", "1e999", "../dev.yaml", "jobs", "worker", "tensorflow", "-", "~", "0x1F"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda below: st.one_of(
        st.lists(below, max_size=3),
        st.dictionaries(st.one_of(st.text(max_size=6), st.integers()), below, max_size=3),
    ),
    max_leaves=5,
)


def sentences_of(file) -> list[str]:
    """What is found in a file, each finding looked at."""
    try:
        findings = plan(file).findings
    except StackFileError as error:
        findings = error.findings
        assert findings
    for finding in findings:
        assert finding.line >= 1
        assert finding.message
        assert finding.remedy
        assert str(finding).isprintable(), finding
    return [finding.sentence for finding in findings]


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in data, as the thing that holds it and the key there."""
    if not isinstance(value, dict | list):
        return []
    keys = list(value) if isinstance(value, dict) else range(len(value))
    return [(value, key) for key in keys] + [place for key in keys for place in _places(value[key])]


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(choose=st.data())
def test_any_value_anywhere_in_a_stack(tmp_path, choose):
    stack = yaml.safe_load(DEV)
    for _ in range(choose.draw(st.integers(1, 3))):
        holder, key = choose.draw(st.sampled_from(_places(stack)))
        if isinstance(holder, dict) and choose.draw(st.booleans()):
            holder[choose.draw(SCALARS.filter(lambda scalar: isinstance(scalar, str | int)))] = holder.pop(
                key
            )
        else:
            holder[key] = choose.draw(VALUES)
    file = tmp_path / "stack.yaml"
    file.write_text(yaml.safe_dump(stack, allow_unicode=True), "utf-8")
    sentences_of(file)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(choose=st.data())
def test_any_slip_of_the_editor(tmp_path, choose):
    """Bytes that are lost, doubled or put in between, wherever they may be."""
    raw = DEV.encode()
    for _ in range(choose.draw(st.integers(1, 3))):
        start = choose.draw(st.integers(0, len(raw)))
        end = min(len(raw), start + choose.draw(st.integers(0, 30)))
        slip = st.sampled_from(
            [b"", raw[start:end] * 2, b"\t", b"&a ", b"*a", b"<<: ", b"\xff", b"---\n", b"!!x "]
        )
        raw = raw[:start] + choose.draw(st.one_of(slip, st.binary(max_size=4))) + raw[end:]
    file = tmp_path / "stack.yaml"
    file.write_bytes(raw)
    sentences_of(file)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=st.one_of(st.binary(max_size=60), VALUES.map(lambda value: yaml.safe_dump(value).encode())))
def test_any_file_at_all(tmp_path, raw):
    file = tmp_path / "stack.yaml"
    file.write_bytes(raw)
    sentences_of(file)
