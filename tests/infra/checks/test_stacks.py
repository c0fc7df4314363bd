"""The stacks of this repository: what a check finds in them is a defect of theirs or of the check."""

import pytest

from infra.checks import Subject, examine
from infra.places import STACKS
from infra.plan import plan


@pytest.mark.parametrize("file", sorted(STACKS.glob("*.yaml")), ids=lambda file: file.name)
def test_nothing_is_wrong_with_a_stack_of_ours(file):
    ready = plan(file)
    assert examine(Subject(ready.stack, ready.scripts)) == ()
