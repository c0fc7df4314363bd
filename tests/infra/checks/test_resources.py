"""Amounts as they are sent: units, GPUs, and what pod_overrides say."""

import pytest
from pydantic import ValidationError

GPU = "nvidia.com/gpu"
OVERRIDDEN = ("jobs", 0, "pod_overrides", "containers", 0, "resources")


@pytest.fixture
def stack(data, cpu_job):
    """A job whose training container's resources are written, or laid over by pod_overrides."""

    def build(resources=None, overridden=None):
        job = cpu_job(worker={"resources": resources or {}})
        if overridden is not None:
            job["pod_overrides"] = {"containers": [{"name": "tensorflow", "resources": overridden}]}
        data["jobs"] = [job | {"pool": "gpu"}]
        return data

    return build


def test_b3_gpus_as_a_request_only_are_refused(stack, one):
    finding = one(stack(overridden={"requests": {GPU: 1}}))
    assert (finding.code, finding.place) == ("gpus-without-limit", (*OVERRIDDEN, "requests", GPU))
    assert finding.remedy == "write the 1 under limits, and no request"


def test_b3_a_request_that_is_not_the_limit_is_refused(stack, one):
    finding = one(stack(overridden={"limits": {GPU: 2}, "requests": {GPU: 1}}))
    assert (finding.code, finding.place) == ("gpus-request-not-limit", (*OVERRIDDEN, "requests", GPU))


@pytest.mark.parametrize("part", [0.5, "500m", "1.5"])
def test_b3_gpus_come_whole(stack, found, part):
    assert found(stack(overridden={"limits": {GPU: part}})) == [("bad-amount", (*OVERRIDDEN, "limits", GPU))]


@pytest.mark.parametrize("key", ["nvidia.com/", "-.com/gpu", "nvidia.com/g pu"])
def test_a_resource_that_no_device_plugin_could_be_called_is_refused(stack, found, key):
    assert found(stack(overridden={"limits": {key: 1}})) == [("bad-amount", (*OVERRIDDEN, "limits", key))]


def test_b3_gpus_of_a_role_come_whole(stack, subject):
    with pytest.raises(ValidationError, match="valid integer"):
        subject(stack({"gpus": 0.5}))


@pytest.mark.parametrize(
    "overridden",
    [{"limits": {GPU: 1}}, {"limits": {GPU: "2"}, "requests": {GPU: 2}}, {"limits": {GPU: "1000m"}}],
)
def test_b3_a_limit_alone_or_equal_to_the_request_is_fine(stack, found, overridden):
    assert found(stack(overridden=overridden)) == []


def test_b3_gpus_of_a_role_are_fine(stack, found):
    assert found(stack({"gpus": 2})) == []


@pytest.mark.parametrize("field", ["requests", "limits"])
def test_b6_decimal_beside_binary_units_are_a_warning(stack, one, field):
    other = "requests" if field == "limits" else "limits"
    binary = "1Gi" if field == "limits" else "3Gi"
    finding = one(stack({field: {"memory": "2G"}, other: {"memory": binary}}))
    assert (finding.severity, finding.code) == ("warning", "mixed-units")
    assert finding.place == ("jobs", 0, "worker", "resources", field, "memory")
    assert f"2G stands beside {binary}, and 2G is 7 percent less than 2Gi" in finding.message


@pytest.mark.parametrize(
    "texts", [("1G", "2G"), ("1Gi", "2Gi"), ("1073741824", "2Gi"), ("1Gi", "2147483648")]
)
def test_b6_one_unit_or_plain_bytes_are_fine(stack, found, texts):
    request, limit = texts
    assert found(stack({"requests": {"memory": request}, "limits": {"memory": limit}})) == []


def test_b6_a_request_above_the_limit_is_refused_across_suffixes(stack, subject):
    with pytest.raises(ValidationError, match=r"2Gi is requested and limits.memory is 2G"):
        subject(stack({"requests": {"memory": "2Gi"}, "limits": {"memory": "2G"}}))


def test_b6_half_a_byte_is_refused_in_overrides_too(stack, one):
    finding = one(stack(overridden={"requests": {"memory": "512m"}}))
    assert (finding.code, finding.place) == ("bad-amount", (*OVERRIDDEN, "requests", "memory"))
    assert "did you mean 512Mi?" in f"{finding.message}; {finding.remedy}"


def test_b6_what_the_api_server_writes_back_is_accepted(stack, found):
    assert found(stack(overridden={"requests": {"memory": "1288490188800m"}})) == []


@pytest.mark.parametrize("value", ["1 Gi", "1GB", "-1", ".", True, [], {"a": 1}])
def test_b6_what_is_no_amount_is_refused_in_overrides_too(stack, found, value):
    assert found(stack(overridden={"limits": {"memory": value}})) == [
        ("bad-amount", (*OVERRIDDEN, "limits", "memory"))
    ]


@pytest.mark.parametrize(
    "overrides",
    [
        {"containers": "x"},
        {"containers": ["x", {"name": 3}]},
        {"containers": [{"name": "tensorflow", "resources": "much"}]},
        {"containers": [{"name": "tensorflow", "resources": {"limits": 3}}]},
        {"initContainers": {"a": 1}},
        {"nodeSelector": "x", "tolerations": "y", "affinity": []},
        {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [1]}}},
        {"priorityClassName": 7},
    ],
)
def test_overrides_of_any_shape_end_no_check(data, subject, cpu_job, overrides):
    data["jobs"] = [cpu_job(pod_overrides=overrides)]
    assert subject(data).workloads
