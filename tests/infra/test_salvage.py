"""One run finds all that is wrong: rules between objects are checked beside faulty objects."""

import pytest

from infra.load import StackFileError
from infra.plan import plan


@pytest.fixture
def faults(faults):
    """What stands after the file's name and line."""
    return lambda file: [line.partition(" ")[2] for line in faults(file)]


def test_a_rule_between_objects_is_checked_beside_a_faulty_object(stack_file, data, faults):
    data["jobs"].insert(0, {"name": "broken"})
    data["jobs"][1]["pool"] = "gpus"
    found = faults(stack_file(data))
    assert "jobs[0].image: is missing; add `image:`" in found
    assert "jobs[1].pool: no pool of the stack is called gpus; write gpu" in found


def test_places_are_those_of_the_file_not_of_what_is_left(stack_file, data):
    data["jobs"].insert(0, {"name": "broken"})
    data["jobs"][1]["pool"] = "gpus"
    file = stack_file(data)
    line = file.read_text().splitlines().index("  pool: gpus") + 1
    with pytest.raises(StackFileError) as caught:
        plan(file)
    assert [f.line for f in caught.value.findings if f.path == "jobs[1].pool"] == [line]


@pytest.mark.parametrize("kind", ["pools", "tenants", "storage", "priorities"])
def test_what_is_faulty_is_not_called_missing_too(stack_file, data, kind, faults):
    data[kind][-1]["colour"] = "red"
    [fault] = faults(stack_file(data))
    assert "colour" in fault


@pytest.mark.parametrize("kind", ["pools", "tenants", "storage", "priorities"])
def test_a_list_that_is_none_is_not_called_empty_too(stack_file, data, kind, faults):
    data[kind] = {"name": "x"}
    [fault] = faults(stack_file(data))
    assert fault == f"{kind}: a mapping stands here; write a list, each item after '- '"


def test_a_missing_default_is_not_told_while_a_class_is_faulty(stack_file, data, faults):
    data["priorities"][0]["value"] = "high"
    [fault] = faults(stack_file(data))
    assert "priorities[0].value" in fault


def test_an_unknown_section_hides_no_other_fault(stack_file, data, faults):
    data |= {"colours": [], "training_operator": {"instal": True}}
    data["jobs"][0]["pool"] = "gpus"
    assert len(faults(stack_file(data))) == 3


def test_a_key_given_twice_hides_no_other_fault(stack_file, data, faults):
    import yaml

    data["jobs"][0]["pool"] = "gpus"
    found = faults(stack_file("jobs: []\n" + yaml.safe_dump(data)))
    assert len(found) == 2


def test_a_stack_of_faulty_things_is_not_called_empty_too(stack_file):
    with pytest.raises(StackFileError) as caught:
        plan(stack_file({"pools": [{"name": "Big"}]}))
    assert {found.severity for found in caught.value.findings} == {"fault"}
