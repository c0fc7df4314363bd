"""Mistakes in pools, tenants, priorities and storage, and in what names them."""

from __future__ import annotations

from random import Random

from infra.models.base import Loc
from tests.generated.mistakes.register import leads_to, one
from tests.generated.words import Data


@leads_to("duplicate-name")
def a_job_is_copied(stack: Data, pick: Random) -> Loc:
    _, job = one(stack, "jobs", pick)
    stack["jobs"].append(dict(job))
    return ("jobs", len(stack["jobs"]) - 1, "name")


@leads_to("job-name-too-long")
def pods_get_names_that_are_too_long(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["name"] = "a" * 60
    return (*at, "name")


@leads_to("unknown-tenant")
def a_job_has_no_tenant(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["tenant"] = "visoin"
    return (*at, "tenant")


@leads_to("unknown-priority")
def a_job_has_no_priority(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["priority"] = "ofline-low"
    return (*at, "priority")


@leads_to("unknown-pool")
def a_job_has_no_pool(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["pool"] = "gpus"
    return (*at, "pool")


@leads_to("unknown-script")
def a_script_is_not_there(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job.pop("command", None)
    job["script"] = "trian.py"
    return (*at, "script")


@leads_to("unknown-storage")
def a_claim_is_not_there(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["volumes"].append({"claim": "dota", "mount_path": "/more"})
    return (*at, "volumes", len(job["volumes"]) - 1, "claim")


@leads_to("claim-of-another-tenant")
def a_claim_is_anothers(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    stack["tenants"].append({"name": "others"})
    stack["storage"].append({"name": "theirs", "tenant": "others", "size": "1Gi", "storage_class": "shared"})
    job["volumes"].append({"claim": "theirs", "mount_path": "/more"})
    return (*at, "volumes", len(job["volumes"]) - 1, "claim")


@leads_to("broken-rule")
def a_node_is_listed_twice(stack: Data, pick: Random) -> Loc:
    stack["pools"][0]["nodes"].append("node-gpu-02")
    return ("pools", 0, "nodes", 2)


@leads_to("node-in-two-pools")
def a_node_is_in_two_pools(stack: Data, pick: Random) -> Loc:
    stack["pools"].append({"name": "more", "nodes": ["node-gpu-09", "node-gpu-02"]})
    return ("pools", len(stack["pools"]) - 1, "nodes", 1)


@leads_to("broken-rule")
def a_pool_has_nodes_and_a_selector(stack: Data, pick: Random) -> Loc:
    stack["pools"][0]["selector"] = {"node-type": "gpu"}
    return ("pools", 0)


@leads_to("taint-twice")
def a_taint_has_two_values(stack: Data, pick: Random) -> Loc:
    at, pool = one(stack, "pools", pick)
    taint = {"key": "team", "value": "a", "effect": "NoSchedule"}
    pool["taints"] = [taint, taint | {"value": "b"}]
    return (*at, "taints", 1)


@leads_to("label-reserved")
def a_label_is_ours(stack: Data, pick: Random) -> Loc:
    at, pool = one(stack, "pools", pick)
    pool["labels"] = {"colocation.io/pool": "other"}
    return (*at, "labels", "colocation.io/pool")


@leads_to("tenant-takes-system-namespace")
def a_tenant_takes_a_system_namespace(stack: Data, pick: Random) -> Loc:
    stack["tenants"].append({"name": "kube-system"})
    return ("tenants", len(stack["tenants"]) - 1, "name")


@leads_to("broken-rule")
def a_quota_of_gpus_does_nothing(stack: Data, pick: Random) -> Loc:
    at, tenant = one(stack, "tenants", pick)
    key = pick.choice(["nvidia.com/gpu", "limits.nvidia.com/gpu"])
    tenant["quota"] = {key: "4"}
    return (*at, "quota", key)


@leads_to("broken-rule")
def a_limit_range_is_out_of_order(stack: Data, pick: Random) -> Loc:
    at, tenant = one(stack, "tenants", pick)
    tenant["limit_range"] = {"min": {"cpu": 2}, "default": {"cpu": "500m"}}
    return (*at, "limit_range", "min", "cpu")


@leads_to("offline-not-below-online")
def offline_work_outranks_services(stack: Data, pick: Random) -> Loc:
    stack["priorities"][1]["value"] = stack["priorities"][0]["value"]
    return ("priorities", 1, "value")


@leads_to("priority-name-reserved")
def a_priority_has_a_name_of_kubernetes(stack: Data, pick: Random) -> Loc:
    stack["priorities"].append({"name": "system-batch", "value": 10**9, "kind": "online"})
    return ("priorities", len(stack["priorities"]) - 1, "name")


@leads_to("priority-too-high")
def a_priority_is_too_high(stack: Data, pick: Random) -> Loc:
    stack["priorities"][0]["value"] = 10**9 + 1
    return ("priorities", 0, "value")


@leads_to("no-global-default")
def no_class_is_the_default(stack: Data, pick: Random) -> Loc:
    del stack["priorities"][0]["global_default"]
    stack["priorities"][1]["value"] = 1000  # above what services without a class have
    return ("priorities",)


@leads_to("second-global-default")
def two_classes_are_the_default(stack: Data, pick: Random) -> Loc:
    more = {"name": "online-low", "value": 5000, "kind": "online", "global_default": True}
    stack["priorities"].append(more)
    return ("priorities", len(stack["priorities"]) - 1, "global_default")


@leads_to("broken-rule")
def storage_is_nowhere(stack: Data, pick: Random) -> Loc:
    stack["storage"].append({"name": "more", "tenant": stack["tenants"][0]["name"], "size": "1Gi"})
    return ("storage", len(stack["storage"]) - 1)
