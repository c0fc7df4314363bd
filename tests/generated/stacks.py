"""Whole stacks, as data. Most have no fault; which have, the checks say."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from infra.checks import Finding, Subject, examine
from infra.models import Stack
from tests.generated.jobs import jobs
from tests.generated.words import LABEL_KEYS, LABEL_VALUES, Data, distinct, mostly, some

SCRIPTS = {"train.py": "print('accuracy=1.0')\n"}
TAINTS = st.fixed_dictionaries(
    {
        "key": st.sampled_from(["gpu", "example.com/spot"]),
        "effect": st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
    },
    optional={"value": LABEL_VALUES},
)
QUOTAS = some(
    **{
        "requests.cpu": st.sampled_from([500, "1k", "2000000m"]),
        "requests.memory": st.sampled_from(["2Ti", "4T"]),
        "limits.cpu": st.just("2000"),
        "limits.memory": st.just("4Ti"),
        "requests.nvidia.com/gpu": st.sampled_from([100, "2e2"]),
        "requests.example.com/fpga": st.just(4),
        "pods": st.sampled_from([300, "1k"]),
        "count/tfjobs.kubeflow.org": st.just(50),
        "count/deployments.apps": st.just("7"),
        "services": st.just(400),
        "requests.storage": st.just("9Ti"),
        "persistentvolumeclaims": st.just(20),
        "shared.storageclass.storage.k8s.io/requests.storage": st.just("5Ti"),
        "limits.ephemeral-storage": st.just("9Ti"),
    }
)
LIMIT_RANGES = some(
    min=some(cpu=st.sampled_from([0, "10m"]), memory=st.just("1Mi")),
    default_request=some(cpu=st.just("100m"), memory=st.sampled_from(["128Mi", "2e8"])),
    default=some(cpu=st.just(2.5), memory=st.just("4Gi"), ephemeral_storage=st.just("9G")),
    max=some(cpu=st.just(16), memory=st.sampled_from(["64Gi", "1T"])),
)
STORAGE = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["training-data", "models", "c" * 60]),
        "size": st.sampled_from(["10Gi", "1.5T", 2**30, "1Mi"]),
    },
    optional={"access_mode": st.sampled_from(["ReadWriteMany", "ReadWriteOnce"]), "protect": st.booleans()},
)
CLASSES = st.sampled_from(["shared", "team.fast"]).map(lambda name: {"storage_class": name})
SERVERS = st.sampled_from(["nfs.example", "10.0.0.8", "fd00::8", "NFS-1"]).map(
    lambda server: {"nfs": {"server": server, "path": "/exports/data set"}}
)


@st.composite
def stacks(draw: st.DrawFn) -> Data:
    """A stack of one or two tenants, with everything that there is."""
    offline = draw(distinct(_offline(), min_size=1, max_size=2))
    online = {"name": "online-high", "value": draw(st.sampled_from([100000, 10**9])), "kind": "online"}
    pools = [
        _pool("gpu", {"nodes": ["node-gpu-01", "node-gpu-02"]}, draw),
        _pool("cpu", {"selector": draw(st.dictionaries(LABEL_KEYS, LABEL_VALUES, min_size=1))}, draw),
    ]
    stack: Data = {
        "priorities": [online | {"global_default": True}, *offline],
        "pools": pools[: draw(st.integers(1, 2))],
        "training_operator": draw(
            st.sampled_from([{}, {"namespace": "vision"}, {"install": False}, {"cluster_domain": "a.b"}])
        ),
        "tenants": [],
        "storage": [],
        "jobs": [],
    }
    names = [priority["name"] for priority in offline]
    for tenant in draw(st.sampled_from([["vision"], ["vision", "t" * 63]])):
        stack["tenants"].append({"name": tenant} | draw(_tenants(names)))
        ours = draw(distinct(st.tuples(STORAGE, st.one_of(CLASSES, SERVERS)).map(lambda t: t[0] | t[1])))
        taken = {storage["name"] for storage in stack["storage"]}
        ours = [storage | {"tenant": tenant} for storage in ours if storage["name"] not in taken]
        stack["storage"] += ours
        of = {
            "tenant": tenant,
            "priorities": names,
            "pool": draw(st.sampled_from([None, stack["pools"][-1]["name"], "gpu"])),
            "claims": [storage["name"] for storage in ours],
        }
        taken = {job["name"] for job in stack["jobs"]}
        made = draw(distinct(jobs(**of), min_size=1, max_size=2))
        stack["jobs"] += [job for job in made if job["name"] not in taken]
    return stack


def _offline() -> st.SearchStrategy[Data]:
    return st.fixed_dictionaries(
        {
            "name": st.sampled_from(["offline-low", "batch.v2", "o" * 100]),
            "value": st.sampled_from([-(2**31), 0, 1000]),
            "kind": st.just("offline"),
        },
        optional={"description": st.sampled_from(["ü: fills the gaps", "d" * 500])},
    )


def _pool(name: str, nodes: Data, draw: st.DrawFn) -> Data:
    taints = draw(st.lists(TAINTS, max_size=2, unique_by=lambda taint: (taint["key"], taint["effect"])))
    return {"name": name, **nodes, "taints": taints} | draw(
        some(
            labels=st.dictionaries(LABEL_KEYS, LABEL_VALUES, max_size=2),
            foreign_taints=st.just([{"key": "kwok.x-k8s.io/node", "value": "fake", "effect": "NoSchedule"}]),
            gpu_model=st.just("NVIDIA-A100"),
            capacity=st.just({"cpu": 64, "memory": "512Gi", "gpus": 8}),
        )
    )


def _tenants(priorities: list[str]) -> st.SearchStrategy[Data]:
    def scoped(tenant: Data) -> Data:
        return tenant if tenant.get("quota") else {k: v for k, v in tenant.items() if k != "quota_priorities"}

    return some(
        pod_security=st.sampled_from(["restricted", "baseline", "privileged"]),
        quota=QUOTAS,
        quota_priorities=mostly(st.just([]), st.just(priorities)),
        limit_range=LIMIT_RANGES,
        network_policy=st.booleans(),
    ).map(scoped)


def faults(data: Data) -> list[Finding]:
    """What `colo check` calls a fault in a stack that the models take; raises ValidationError else."""
    found = examine(Subject(Stack.model_validate(data), SCRIPTS))
    return [finding for finding in found if finding.severity == "fault"]


def sound(data: Any) -> bool:
    """Whether a stack would be applied."""
    try:
        return not faults(data)
    except ValueError:
        return False


SOUND = stacks().filter(sound)
"""Stacks without a fault."""
