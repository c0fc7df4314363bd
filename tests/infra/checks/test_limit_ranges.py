"""Containers against the LimitRange of their namespace."""

import pytest
from pydantic import ValidationError


@pytest.fixture
def stack(data, cpu_job):
    def build(limit_range, resources, **job):
        data["tenants"][0]["limit_range"] = limit_range
        data["jobs"] = [cpu_job(worker={"resources": resources}, **job)]
        return data

    return build


def test_b7_a_request_above_the_default_limit_is_refused_naming_both(stack, one):
    limit_range = {"default": {"cpu": "500m"}, "max": {"cpu": "8"}}
    finding = one(stack(limit_range, {"requests": {"cpu": "2"}}))
    assert (finding.severity, finding.code) == ("fault", "request-above-default-limit")
    assert finding.place == ("jobs", 0, "worker", "resources", "requests", "cpu")
    assert finding.message.startswith("container tensorflow requests 2 cpu without a limit")
    assert "sets the limit to 0.5" in finding.message
    assert finding.remedy == "write a limit of 2 or more"


@pytest.mark.parametrize(
    "resources",
    [{"requests": {"cpu": "500m"}}, {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}, {}],
)
def test_b7_with_a_limit_of_its_own_or_less_than_the_default_it_is_fine(stack, found, resources):
    assert found(stack({"default": {"cpu": "500m"}, "max": {"cpu": "8"}}, resources)) == []


def test_b7_the_maximum_is_the_default_limit_where_there_is_no_other(stack, found):
    assert [code for code, _ in found(stack({"max": {"cpu": "1"}}, {"requests": {"cpu": "2"}}))] == [
        "request-above-default-limit"
    ]


def test_b7_the_limit_range_itself_keeps_its_order(stack, subject):
    with pytest.raises(ValidationError, match="keep min <= default_request <= default <= max"):
        subject(stack({"default": {"cpu": "9"}, "max": {"cpu": "8"}}, {}))


@pytest.mark.parametrize("kind", ["init_containers", "sidecars"])
def test_containers_beside_the_training_are_checked_once(stack, found, kind):
    beside = [{"name": "b", "image": "b:1", "resources": {"requests": {"cpu": "2"}}}]
    data = stack({"default": {"cpu": "1"}}, {}, ps={}, **{kind: beside})
    place = ("jobs", 0, kind, 0, "resources", "requests", "cpu")
    assert found(data) == [("request-above-default-limit", place)]


def test_a_limit_above_the_maximum_is_refused(stack, one):
    finding = one(stack({"max": {"memory": "4Gi"}}, {"limits": {"memory": "5Gi"}}))
    assert finding.code == "above-limit-range"
    assert finding.place == ("jobs", 0, "worker", "resources", "limits", "memory")
    assert "may use 5Gi memory, and limit_range.max of vision is 4Gi" in finding.message


@pytest.mark.parametrize("kind", ["requests", "limits"])
def test_a_request_below_the_minimum_is_refused_where_it_is_written(stack, found, kind):
    data = stack({"min": {"memory": "64Mi"}}, {kind: {"memory": "32Mi"}})
    place = ("jobs", 0, "worker", "resources", kind, "memory")
    assert found(data) == [("below-limit-range", place)]


def test_the_bounds_themselves_are_allowed(stack, found):
    bounds = {"min": {"memory": "64Mi"}, "max": {"memory": "4Gi"}}
    assert found(stack(bounds, {"requests": {"memory": "64Mi"}, "limits": {"memory": "4Gi"}})) == []
    assert found(stack(bounds, {})) == []


def test_bounds_are_exact_across_suffixes(stack, found):
    assert found(stack({"max": {"memory": "1G"}}, {"limits": {"memory": "1000M"}})) == []
    assert [c for c, _ in found(stack({"max": {"memory": "1G"}}, {"limits": {"memory": "1Gi"}}))] == [
        "above-limit-range"
    ]


def test_a_request_of_pod_overrides_stays_below_the_limit(stack, one):
    overrides = {"containers": [{"name": "tensorflow", "resources": {"requests": {"cpu": "3"}}}]}
    finding = one(stack(None, {"limits": {"cpu": "2"}}, pod_overrides=overrides))
    assert finding.code == "request-above-limit"
    assert finding.place == (
        *("jobs", 0, "pod_overrides", "containers", 0, "resources"),
        *("requests", "cpu"),
    )
