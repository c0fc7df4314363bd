"""Where the exporter of GPU metrics runs."""

import pytest

from tests.infra.checks.jobs import found

CODES = ("gpu-metrics-namespace", "gpu-metrics-without-pool")
CPUS = {"worker": {}, "pool": None}


def of_gpu_metrics(gpu_metrics=None, *, stack=None, **job):
    monitoring = {} if gpu_metrics is None else {"gpu_metrics": gpu_metrics}
    data = {"monitoring": monitoring} | (stack or {})
    return [(severity, code) for severity, code, _ in found(stack=data, **job) if code in CODES]


@pytest.mark.parametrize("level", ["restricted", "baseline", "privileged"])
@pytest.mark.parametrize("profiling", [True, False])
def test_g4_the_namespace_of_a_tenant_is_refused(level, profiling):
    tenants = {"tenants": [{"name": "vision", "pod_security": level}]}
    asked = {"namespace": "vision", "profiling": profiling}
    assert of_gpu_metrics(asked, stack=tenants) == [("fault", "gpu-metrics-namespace")]


@pytest.mark.parametrize("install", [True, False])
@pytest.mark.parametrize("namespace", ["obs", "operators", "kube-system"])
def test_g4_a_namespace_that_somebody_has_already_is_refused_once(namespace, install):
    stack = {
        "monitoring": {"install": install, "namespace": "obs", "gpu_metrics": {"namespace": namespace}},
        "training_operator": {"namespace": "operators"},
    }
    told = [code for severity, code, _ in found(stack=stack) if severity == "fault"]
    assert told == ["gpu-metrics-namespace"]


def test_g4_a_namespace_of_its_own_is_fine():
    assert of_gpu_metrics({"profiling": True}) == []


def test_g2_without_a_gpu_pool_whoever_asked_for_the_exporter_hears_that_there_is_none():
    assert of_gpu_metrics({}, stack={"pools": []}, **CPUS) == [("advice", "gpu-metrics-without-pool")]


def test_g2_so_does_whoever_has_a_job_with_gpus():
    advice = [("advice", "gpu-metrics-without-pool")]
    assert of_gpu_metrics(stack={"pools": []}, pool=None, worker={"resources": {"gpus": 1}}) == advice


def test_g2_a_stack_without_gpus_hears_nothing():
    assert of_gpu_metrics(stack={"pools": []}, **CPUS) == []
    assert of_gpu_metrics({"install": False}, stack={"pools": []}, **CPUS) == []
