"""The stacks of this repository: fit to be deployed, of their sizes, and different by intent."""

from pathlib import Path

import pytest
import yaml

from infra.assembly import assemble
from infra.models.quantities import amount
from infra.places import ROOT, STACKS
from infra.plan import plan
from infra.vocabulary import CHECKPOINT_PATH_ENV
from sandbox import node, simulated_nodes

NAMES = ("dev", "staging", "prod")
TRAIN = {"kubernetes:kubeflow.org/v1:TFJob", "kubernetes:batch/v1:CronJob"}
# Of the operator: no job of several pods outlives a preemption.
FAILS = ("warning", "preemption-fails-the-job", "tf-digits-dist")
EARNED = {
    # Of the sandbox: its volumes are on the real node, and GPU nodes are simulated.
    "dev": [("warning", "no-checkpoint-path", "tf-mnist-gpu"), FAILS],
    "staging": [FAILS],
    "prod": [FAILS],
}
BESIDE_PROD = {
    "dev": {
        "alerts.default_receiver",
        "alerts.receivers",
        "image_registries",
        "jobs.tf-digits-dist.image",
        "jobs.tf-digits-dist.ps.replicas",
        "jobs.tf-digits-dist.worker.replicas",
        "jobs.tf-digits-retrain",
        "jobs.tf-mnist-cpu.image",
        "jobs.tf-mnist-cpu.worker.resources.limits.memory",
        "jobs.tf-mnist-cpu.worker.resources.requests.cpu",
        "jobs.tf-mnist-cpu.worker.resources.requests.memory",
        "jobs.tf-mnist-gpu.checkpoint_path",
        "jobs.tf-mnist-gpu.image",
        "jobs.tf-mnist-gpu.metrics_port",
        "jobs.tf-mnist-gpu.volumes",
        "monitoring.alertmanager.storage",
        "monitoring.gpu_metrics.install",
        "monitoring.install",
        "monitoring.priority",
        "monitoring.prometheus.external_labels.cluster",
        "monitoring.prometheus.storage",
        "pools.cpu",
        "pools.gpu.foreign_taints",
        "production",
        "storage.training-data.nfs",
        "storage.training-data.size",
        "storage.training-data.storage_class",
    },
    "staging": {
        "alerts.default_receiver",
        "alerts.receivers",
        "jobs.tf-digits-dist.ps.replicas",
        "jobs.tf-digits-dist.worker.replicas",
        "jobs.tf-digits-retrain",
        "monitoring.prometheus.external_labels.cluster",
        "monitoring.prometheus.storage.size",
        "pools.cpu.capacity.cpu",
        "pools.cpu.capacity.memory",
        "pools.cpu.nodes",
        "pools.gpu.capacity.cpu",
        "pools.gpu.capacity.gpus",
        "pools.gpu.capacity.memory",
        "pools.gpu.nodes",
        "production",
        "storage.training-data.nfs.server",
        "storage.training-data.size",
        "tenants.kubeflow.quota.requests.cpu",
        "tenants.kubeflow.quota.requests.memory",
        "tenants.kubeflow.quota.requests.nvidia.com/gpu",
    },
}
"""In what a stack may differ from prod: a change here is meant, or a drift."""


@pytest.fixture(scope="module")
def plans():
    return {name: plan(STACKS / f"{name}.yaml") for name in NAMES}


@pytest.fixture(scope="module")
def stacks(plans):
    return {name: ready.stack for name, ready in plans.items()}


@pytest.fixture
def prod(stacks):
    return stacks["prod"]


def by_name(value):
    """Data in which things that have names are found by them."""
    if isinstance(value, dict):
        return {key: by_name(inner) for key, inner in value.items()}
    if isinstance(value, list) and value and all(isinstance(item, dict) and "name" in item for item in value):
        return {item["name"]: by_name(item) for item in value}
    return value


def differences(one, other, at=()):
    """Where two pieces of data are not the same."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {*one, *other}:
            yield from differences(one.get(key), other.get(key), (*at, key))
    elif one != other:
        yield ".".join(at)


def as_data(stack):
    return by_name(stack.model_dump(mode="json", exclude={"extends"}))


def all_pools(stacks):
    return [pool for stack in stacks.values() for pool in stack.pools]


def test_every_stack_file_of_the_project_is_one_of_these():
    assert {file.stem for file in STACKS.glob("*.yaml")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_stack_has_no_faults_and_only_the_warnings_that_it_earned(plans, name):
    ready = plans[name]
    found = [(f.severity, f.code, f.object) for f in ready.findings]
    assert found == EARNED[name]


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_a_stack_says_can_be_declared(plans, declare, name):
    stack, out = plans[name].stack, {}
    declared = declare(lambda: out.update(assemble(plans[name], name, {})))
    made = [
        (r.typ.rpartition(":")[2], r.inputs["metadata"]["name"]) for r in declared.resources if r.typ in TRAIN
    ]
    assert sorted(made) == sorted(("CronJob" if job.schedule else "TFJob", job.name) for job in stack.jobs)
    assert set(out["pools"]) == {pool.name for pool in stack.pools}


@pytest.mark.parametrize("name", ["dev", "staging"])
def test_a_stack_differs_from_production_only_in_what_it_should(stacks, prod, name):
    assert set(differences(as_data(stacks[name]), as_data(prod))) == BESIDE_PROD[name]


def test_the_stacks_share_one_schema_and_one_base():
    for file in [*STACKS.glob("*.yaml"), *(STACKS / "shared").glob("*.yaml")]:
        first = file.read_text("utf-8").partition("\n")[0]
        schema = first.removeprefix("# yaml-language-server: $schema=")
        assert (file.parent / schema).resolve() == STACKS / "schema.json", file
    for name in NAMES:
        assert yaml.safe_load((STACKS / f"{name}.yaml").read_text())["extends"] == "shared/jobs.yaml"


@pytest.mark.parametrize("name", NAMES)
def test_the_config_of_a_stack_holds_secrets_only(name):
    config = yaml.safe_load((ROOT / f"Pulumi.{name}.yaml").read_text("utf-8"))["config"]
    assert [key for key, value in config.items() if set(value) != {"secure"}] == []


def test_production_has_six_workers_four_of_them_with_gpus(prod):
    pools = {pool.name: pool for pool in prod.pools}
    assert len([node for pool in prod.pools for node in pool.nodes]) == 6
    assert len(pools["gpu"].nodes) == 4
    assert pools["gpu"].capacity.gpus == 4
    assert pools["cpu"].capacity.gpus == 0
    assert dict(pools["gpu"].labels) == {"node-type": "gpu"}
    [taint] = pools["gpu"].taints
    assert (taint.key, taint.value, taint.effect) == ("gpu", "reserved", "NoSchedule")


def test_production_has_its_quota_and_priorities(prod):
    [tenant] = prod.tenants
    assert tenant.name == "kubeflow"
    assert {key: amount(text) for key, text in tenant.quota.items()} == {
        "requests.cpu": 200,
        "requests.memory": 600 * 1024**3,
        "requests.nvidia.com/gpu": 4 * 4,
    }
    priorities = {priority.name: priority for priority in prod.priorities}
    assert (priorities["offline-low"].value, priorities["offline-low"].kind) == (1000, "offline")
    assert [p.name for p in prod.priorities if p.global_default] == ["online-high"]


def test_production_has_its_jobs(prod):
    jobs = {job.name: job for job in prod.jobs}
    cpu, gpu = jobs["tf-mnist-cpu"].worker, jobs["tf-mnist-gpu"].worker
    for resources in (cpu.resources, gpu.resources):
        assert resources.requests.as_kubernetes() == {"cpu": "1", "memory": "2Gi"}
        assert resources.limits.as_kubernetes() == {"cpu": "2", "memory": "4Gi"}
    assert (cpu.resources.gpus, gpu.resources.gpus) == (0, 1)
    assert [role for role, _ in jobs["tf-digits-dist"].roles()] == ["chief", "worker", "ps", "evaluator"]


def test_production_trains_again_every_night(prod):
    schedules = {job.name: job.schedule for job in prod.jobs if job.schedule is not None}
    assert [(s.cron, s.time_zone) for s in schedules.values()] == [("0 2 * * *", "Asia/Shanghai")]
    assert schedules["tf-digits-retrain"].ttl_seconds_after_finished == 1800


def test_production_is_strict(prod):
    assert prod.production
    assert prod.image_registries


def test_no_pool_holds_a_master(stacks):
    masters = {n.name for n in simulated_nodes.topology() if simulated_nodes.CONTROL_PLANE in n.labels}
    assert len(masters) == 3
    for pool in all_pools(stacks):
        assert pool.nodes
        assert [name for name in pool.nodes if name in masters or "master" in name] == []


def test_the_sandbox_has_the_workers_of_production(prod):
    workers = {n.name for n in simulated_nodes.topology() if simulated_nodes.CONTROL_PLANE not in n.labels}
    assert {name for pool in prod.pools for name in pool.nodes} == workers | {node.NODE_NAME}


def test_every_pool_says_what_its_nodes_have_to_give(stacks):
    assert [pool.name for pool in all_pools(stacks) if pool.capacity is None] == []


def test_the_pools_of_dev_have_what_the_simulated_nodes_have(stacks):
    simulated = {n.name: (amount(str(n.cpu)), amount(n.memory), n.gpus) for n in simulated_nodes.topology()}
    for pool in stacks["dev"].pools:
        said = (amount(pool.capacity.cpu), amount(pool.capacity.memory), pool.capacity.gpus)
        assert {simulated[name] for name in pool.nodes} == {said}


@pytest.mark.parametrize("name", NAMES)
def test_a_script_keeps_its_checkpoints_where_its_job_says(plans, name):
    ready = plans[name]
    paths = [job.checkpoint_path for job in ready.stack.jobs if job.checkpoint_path]
    assert len(set(paths)) == len(paths)
    for job in ready.stack.jobs:
        if job.checkpoint_path is not None:
            assert Path(job.checkpoint_path).name == job.name
            assert CHECKPOINT_PATH_ENV in ready.scripts[job.script]
