"""No field of a job is a promise that nobody keeps: each changes what is rendered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from infra.models import JobSpec
from infra.models.jobs import ScheduleSpec
from tests.components.job_examples import EXAMPLES, job, manifest
from tests.components.maximal_job import MAXIMAL

NOT_IN_A_TFJOB = {
    "RunPolicySpec.recreate": "says only that a ttl is meant",
    # The rest of a schedule is in the CronJob that makes the TFJobs.
    **{f"ScheduleSpec.{field}": "in the CronJob" for field in ScheduleSpec.model_fields},
}


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that a type is made of, and those that they are made of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from models(field.annotation)
    for part in get_args(annotation):
        yield from models(part)


def fields() -> set[str]:
    return {f"{model.__name__}.{field}" for model in models(JobSpec) for field in model.model_fields}


def differences(one: Any, other: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where two values differ, as the fields that lead there."""
    if isinstance(one, BaseModel) and type(one) is type(other):
        for field in type(one).model_fields:
            step = f"{type(one).__name__}.{field}"
            yield from differences(getattr(one, field), getattr(other, field), (*path, step))
    elif isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        for left, right in zip(one, other, strict=True):
            yield from differences(left, right, path)
    elif isinstance(one, Mapping) and isinstance(other, Mapping) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], path)
    elif one != other:
        yield path


def test_every_field_has_an_example():
    shown = {
        step
        for one, other in EXAMPLES.values()
        for path in differences(job(one), job(other))
        for step in path
    }
    assert fields() - shown == NOT_IN_A_TFJOB.keys() - shown


@pytest.mark.parametrize("field", EXAMPLES)
def test_two_jobs_that_differ_in_a_field_are_rendered_differently(field):
    one, other = EXAMPLES[field]
    [path] = differences(job(one), job(other))
    assert field in path
    assert manifest(one) != manifest(other)


def test_one_job_may_use_everything_at_once():
    unused = {"command", "schedule", "name", "tenant", "priority", "image"}
    assert set(JobSpec.model_fields) - set(MAXIMAL) == unused
    assert manifest(MAXIMAL)["kind"] == "TFJob"


def test_a_job_is_rendered_the_same_each_time():
    assert repr(manifest(MAXIMAL)) == repr(manifest(MAXIMAL))
