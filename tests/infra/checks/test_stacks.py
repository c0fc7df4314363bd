"""The stacks of this repository: what a check finds in them is a defect of theirs or of the check."""

import pytest

from infra.checks import Subject, examine
from infra.places import STACKS
from infra.plan import plan
from tests.infra.checks.conftest import weighed


@pytest.fixture(params=sorted(STACKS.glob("*.yaml")), ids=lambda file: file.name)
def ours(request):
    ready = plan(request.param)
    return Subject(ready.stack, ready.scripts)


def test_a_stack_of_ours_has_no_faults(ours):
    assert [finding for finding in examine(ours) if finding.severity == "fault"] == []


def test_the_jobs_of_a_stack_of_ours_fit(ours):
    assert weighed(ours) == ()
