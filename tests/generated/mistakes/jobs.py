"""Mistakes in what a job says of itself, and in what it asks for."""

from __future__ import annotations

from random import Random

from infra.models.base import Loc
from tests.generated.mistakes.register import leads_to, of_a_quota, one
from tests.generated.words import Data


# --- what it asks for
@leads_to("broken-rule")
def a_request_is_above_its_limit(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["worker"]["resources"] |= {"requests": {"memory": "2Gi"}, "limits": {"memory": "2G"}}
    return (*at, "worker", "resources", "requests", "memory")


@leads_to("unstated-under-quota")
def a_quota_demands_what_is_not_stated(stack: Data, pick: Random) -> Loc:
    at, job = of_a_quota(stack, pick, quota={"limits.memory": "4Ti"})
    job["worker"]["resources"]["limits"] = {"cpu": 2}
    job["worker"]["resources"].pop("requests", None)
    return (*at, "worker", "resources", "limits", "memory")


@leads_to("job-exceeds-quota")
def a_job_is_larger_than_its_quota(stack: Data, pick: Random) -> Loc:
    at, job = of_a_quota(stack, pick, quota={"pods": 3})
    job["worker"]["replicas"] = 4
    return at


@leads_to("jobs-exceed-quota")
def two_jobs_block_each_other(stack: Data, pick: Random) -> Loc | None:
    """Without the operator beside them, which counts too."""
    stack["training_operator"] = {"install": False}
    _, job = of_a_quota(stack, pick, quota={"pods": 2})
    for other in ("chief", "ps", "evaluator", "schedule"):
        job.pop(other, None)
    job["worker"]["replicas"] = 2
    job["run_policy"] = {}
    stack["jobs"] = [job, job | {"name": "another"}]
    tenants = [tenant["name"] for tenant in stack["tenants"]]
    return ("tenants", tenants.index(job["tenant"]), "quota", "pods")


@leads_to("request-above-default-limit")
def a_request_is_above_the_default_limit(stack: Data, pick: Random) -> Loc:
    at, job = of_a_quota(stack, pick, quota={})
    tenant = next(tenant for tenant in stack["tenants"] if tenant["name"] == job["tenant"])
    tenant["limit_range"] = {"default": {"cpu": "500m"}, "max": {"cpu": 64}}
    job["worker"]["resources"] |= {"requests": {"cpu": 2}, "limits": {}}
    return (*at, "worker", "resources", "requests", "cpu")


@leads_to("above-limit-range")
def a_limit_is_above_the_limit_range(stack: Data, pick: Random) -> Loc:
    at, job = of_a_quota(stack, pick, quota={})
    tenant = next(tenant for tenant in stack["tenants"] if tenant["name"] == job["tenant"])
    tenant["limit_range"] = {"max": {"cpu": 64}}
    job["worker"]["resources"] |= {"requests": {}, "limits": {"cpu": 65}}
    return (*at, "worker", "resources", "limits", "cpu")


@leads_to("pod-fits-no-node")
def a_pod_is_larger_than_every_node(stack: Data, pick: Random) -> Loc | None:
    at, job = one(stack, "jobs", pick)
    if "pool" not in job:
        return None
    pool = next(pool for pool in stack["pools"] if pool["name"] == job["pool"])
    pool["capacity"] = {"cpu": 8, "memory": "1Ti", "gpus": 8}
    job["worker"]["resources"] |= {"requests": {}, "limits": {"cpu": 9, "memory": "1Gi"}}
    return (*at, "worker", "resources")


# --- what it runs
@leads_to("image-without-version")
def an_image_has_no_version(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    part, place = pick.choice([(job, at), (job["worker"], (*at, "worker"))])
    part["image"] = pick.choice(["localhost:5000/mnist", "registry.example/mnist:latest"])
    return (*place, "image")


@leads_to("secret-in-plain-text")
def a_password_is_in_plain_sight(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    part, place = pick.choice([(job, at), (job["worker"], (*at, "worker"))])
    part["env"] = {"DB_PASSWORD": "hunter2-Xy"}
    return (*place, "env", "DB_PASSWORD")


@leads_to("tf-config-set")
def tf_config_is_set_by_hand(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["worker"]["replicas"] = 2
    job["env"] = {"TF_CONFIG": "{}"}
    return (*at, "env", "TF_CONFIG")


@leads_to("variable-twice")
def a_variable_has_two_values(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["env"], job["env_value_from"] = {"A": "1"}, {"A": {"field": "metadata.name"}}
    return (*at, "env_value_from", "A")


@leads_to("port-of-the-operator")
def the_operators_port_is_taken(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["ports"] = [{"name": "grpc", "port": 2222}]
    return (*at, "ports", 0, "port")


@leads_to("port-twice")
def a_port_is_there_twice(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["ports"] = [{"name": "debug", "port": 5678}, {"name": "grpc", "port": 5678, "protocol": "UDP"}]
    return (*at, "ports", 1, "port")


@leads_to("broken-rule")
def two_volumes_share_a_path(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["volumes"] = [{"secret": name, "mount_path": "/etc/keys"} for name in ("a", "b")]
    return (*at, "volumes", 1, "mount_path")


@leads_to("mount-over-script")
def a_volume_hides_the_script(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job.pop("command", None)
    job["script"] = "train.py"
    job["volumes"] = [{"empty_dir": {}, "mount_path": "/opt/colocation/script"}]
    return (*at, "volumes", 0, "mount_path")


@leads_to("checkpoints-lost")
def checkpoints_go_with_the_pod(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["volumes"] = [{"empty_dir": {}, "mount_path": "/scratch"}]
    job["checkpoint_path"] = "/scratch/model"
    return (*at, "checkpoint_path")


@leads_to("container-name-twice")
def a_sidecar_is_called_as_the_training(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["sidecars"] = [{"name": "tensorflow", "image": "registry.example/ship:1"}]
    return (*at, "sidecars", 0, "name")


@leads_to("broken-rule")
def a_job_has_script_and_command(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job |= {"script": "train.py", "command": ["python3"]}
    return at


# --- how it ends, and where it goes
@leads_to("broken-rule")
def two_chiefs_lead(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["chief"] = {"replicas": 2}
    return (*at, "chief", "replicas")


@leads_to("broken-rule")
def nobody_trains(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job.pop("chief", None)
    job["ps"] = job.pop("worker")
    return at


@leads_to("role-never-ends")
def a_worker_never_ends(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["worker"]["restart_policy"] = "Always"
    return (*at, "worker", "restart_policy")


@leads_to("ttl-trains-again")
def a_ttl_trains_again(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job.pop("schedule", None)  # its runs have a ttl of their own
    job["run_policy"] = {"ttl_seconds_after_finished": 300}
    return (*at, "run_policy", "ttl_seconds_after_finished")


@leads_to("exists-with-value")
def a_toleration_of_any_value_has_one(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["tolerations"] = [{"key": "gpu", "operator": "Exists", "value": "reserved"}]
    return (*at, "tolerations", 0)


@leads_to("override-of-restart-policy")
def a_restart_policy_is_in_the_pod(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["pod_overrides"] = {"restartPolicy": "OnFailure"}
    return (*at, "pod_overrides", "restartPolicy")


@leads_to("override-of-unknown-field")
def a_field_of_the_pod_is_misspelt(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    field = pick.choice(["toleration", "host_aliases", "DNSPolicy"])
    job["pod_overrides"] = {field: []}
    return (*at, "pod_overrides", field)


@leads_to("override-of-wrong-kind")
def a_field_of_the_pod_is_text(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    job["pod_overrides"] = {"activeDeadlineSeconds": "3600"}
    return (*at, "pod_overrides", "activeDeadlineSeconds")


@leads_to("pod-security-refuses")
def a_pod_wants_the_nodes_network(stack: Data, pick: Random) -> Loc:
    at, job = one(stack, "jobs", pick)
    tenant = next(tenant for tenant in stack["tenants"] if tenant["name"] == job["tenant"])
    tenant["pod_security"] = pick.choice(["restricted", "baseline"])
    job["pod_overrides"] = {"hostNetwork": True}
    return (*at, "pod_overrides", "hostNetwork")
