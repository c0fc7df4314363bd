"""What the settings put on the cluster."""

from __future__ import annotations

import pytest

from benchmarks.day import nodes
from benchmarks.day.driver import keeps_checkpoints
from benchmarks.day.manifests import offline, online
from benchmarks.day.settings import SETTINGS
from benchmarks.day.workload import Amount, Job, Service, Work

WORK = Work(
    "test",
    (Service("web", Amount(12, 48, 1), (1,) * 72),),
    (Job("gpu", Amount(4, 8, 1), 2, 1.0, 0.0), Job("cpu", Amount(8, 16), 1, 1.0, 0.0)),
)
CAPACITY = Amount(320, 1280, 16)


@pytest.fixture(params=SETTINGS)
def setting(request, tmp_path):
    return SETTINGS[request.param](WORK, CAPACITY, tmp_path)


def pods(setting):
    yield setting.deployment(WORK.services[0])["spec"]["template"]["spec"]
    for job in setting.tfjobs.values():
        yield job["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]


def test_every_pod_is_kept_to_the_nodes_of_the_benchmark(setting):
    for pod in pods(setting):
        assert pod["nodeSelector"][nodes.LABEL] == nodes.VALUE
        tolerated = {toleration["key"] for toleration in pod["tolerations"]}
        assert {taint["key"] for taint in nodes.TAINTS} <= tolerated


def test_every_setting_has_the_same_work(setting):
    for job in WORK.jobs:
        role = setting.tfjobs[job.name]["spec"]["tfReplicaSpecs"]["Worker"]
        [container] = role["template"]["spec"]["containers"]
        asked = {**container["resources"]["requests"], **container["resources"]["limits"]}
        assert role["replicas"] == job.workers
        assert asked.get("nvidia.com/gpu") == (str(job.request.gpus) if job.request.gpus else None)


def test_namespaces_come_before_what_is_in_them(setting):
    kinds = [sent["kind"] for sent in setting.objects]
    names = [sent["metadata"]["name"] for sent in setting.objects if sent["kind"] == "Namespace"]
    inside = [i for i, sent in enumerate(setting.objects) if "namespace" in sent["metadata"]]
    assert sorted(names) == sorted([online(setting.name), offline(setting.name)])
    assert max(i for i, kind in enumerate(kinds) if kind == "Namespace") < min(inside, default=99)


def test_to_the_letter_of_the_article_training_ranks_above_services(tmp_path):
    setting = SETTINGS["c"](WORK, CAPACITY, tmp_path)
    values = {s["metadata"]["name"]: s["value"] for s in setting.objects if s["kind"] == "PriorityClass"}
    service, training, *_ = pods(setting)
    assert values[service["priorityClassName"]] < values[training["priorityClassName"]]


def test_ours_is_what_the_program_makes_of_a_stack(tmp_path):
    setting = SETTINGS["d"](WORK, CAPACITY, tmp_path)
    assert (tmp_path / "stacks" / "d.yaml").is_file()
    assert {"ResourceQuota", "NetworkPolicy", "PriorityClass"} <= {s["kind"] for s in setting.objects}
    assert all(map(keeps_checkpoints, setting.tfjobs.values()))
    service, *_ = pods(setting)
    assert "priorityClassName" not in service, "nobody edits the services"
    assert setting.node_labels["gpu"]["colocation.io/pool"] == "bench-gpu"
