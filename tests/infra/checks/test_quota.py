"""Jobs against the quota of their namespace."""

import time

import pytest
from pydantic import ValidationError

GPU = "requests.nvidia.com/gpu"


@pytest.fixture
def stack(data, cpu_job):
    """A tenant with a quota, apart from the operator's namespace, and jobs of one worker each."""

    def build(quota, *jobs, **tenant):
        data["tenants"][0] |= {"quota": quota} | tenant
        data["training_operator"]["namespace"] = "elsewhere"
        data["jobs"] = [cpu_job(f"j{i}", **job) for i, job in enumerate(jobs or [{}])]
        return data

    return build


def worker(replicas=1, **resources):
    return {"worker": {"replicas": replicas, "resources": resources}}


def test_b1_a_job_states_what_the_quota_obliges_it_to(stack, one):
    quota = {"requests.cpu": "32", "limits.memory": "128Gi"}
    finding = one(stack(quota, worker(2, requests={"cpu": "4"})))
    assert (finding.severity, finding.code) == ("fault", "unstated-under-quota")
    assert finding.place == ("jobs", 0, "worker", "resources", "limits", "memory")
    assert finding.message == (
        "the quota of vision obliges every container to state limits.memory, and tensorflow does not: "
        "no pod would start"
    )
    assert finding.remedy == "state limits.memory, or give the tenant's limit_range default.memory"


def test_b1_all_missing_amounts_of_a_container_are_named_at_once(stack, one):
    finding = one(stack({"requests.cpu": "32", "limits.cpu": "32", "memory": "1Gi"}, worker()))
    assert "state requests.memory, requests.cpu, limits.cpu, and" in finding.message


def test_b1_a_limit_range_may_supply_them(stack, found):
    quota = {"requests.cpu": "32", "limits.memory": "128Gi"}
    limit_range = {"default": {"memory": "1Gi"}}
    assert found(stack(quota, worker(requests={"cpu": "4"}), limit_range=limit_range)) == []


def test_b1_a_limit_stands_for_the_request_too(stack, found):
    assert found(stack({"requests.cpu": "32"}, worker(limits={"cpu": "4"}))) == []


@pytest.mark.parametrize("kind", ["init_containers", "sidecars"])
def test_b1_containers_beside_the_training_are_obliged_too_and_named_once(stack, one, kind):
    beside = [{"name": "fetch", "image": "registry.example/fetch:1"}]
    job = worker(requests={"cpu": "1"}) | {kind: beside, "ps": {"resources": {"requests": {"cpu": "1"}}}}
    finding = one(stack({"requests.cpu": "32"}, job))
    assert finding.place == ("jobs", 0, kind, 0, "resources", "requests", "cpu")
    assert "and fetch does not" in finding.message


def test_b1_a_container_of_pod_overrides_is_obliged_too(stack, one):
    overrides = {"containers": [{"name": "log", "image": "registry.example/log:1"}]}
    job = worker(requests={"cpu": "1"}) | {"pod_overrides": overrides}
    finding = one(stack({"requests.cpu": "32"}, job))
    assert "and log does not" in finding.message
    assert finding.place[:5] == ("jobs", 0, "pod_overrides", "containers", 0)


@pytest.mark.parametrize("key", [GPU, "requests.ephemeral-storage", "pods"])
def test_b1_other_keys_oblige_nobody(stack, found, key):
    amounts = {"requests.ephemeral-storage": "10Gi"}
    assert found(stack({key: amounts.get(key, "4")}, worker())) == []


def test_b2_one_job_larger_than_the_quota_is_refused(stack, one):
    finding = one(stack({"requests.cpu": "10"}, worker(3, requests={"cpu": "4"})))
    assert (finding.severity, finding.code, finding.place) == ("fault", "job-exceeds-quota", ("jobs", 0))
    assert finding.message.startswith(
        "its pods together need 12 requests.cpu, and the quota of vision holds 10"
    )
    assert finding.remedy.endswith("raise the quota to 12")


def test_b2_jobs_that_fit_one_by_one_but_not_together_may_deadlock(stack, one, data):
    gpu_worker = worker(3, gpus=1) | {"pool": "gpu"}
    finding = one(stack({GPU: "4"}, gpu_worker, gpu_worker))
    assert (finding.severity, finding.code) == ("warning", "jobs-exceed-quota")
    assert finding.place == ("tenants", 0, "quota", GPU)
    assert finding.message == (
        "the 2 jobs that are not suspended need 6 together, and the quota holds 4: "
        "jobs that start in part block each other"
    )
    assert finding.remedy == "suspend some (run_policy.suspend: true), or raise the quota to 6"


def test_b2_a_suspended_job_waits_for_its_turn(stack, found):
    later = worker(3, requests={"cpu": "1"}) | {"run_policy": {"suspend": True}}
    assert found(stack({"requests.cpu": "4"}, worker(3, requests={"cpu": "1"}), later)) == []


def test_b2_a_suspended_job_that_can_never_run_is_refused_all_the_same(stack, found):
    later = worker(5, requests={"cpu": "1"}) | {"run_policy": {"suspend": True}}
    assert found(stack({"requests.cpu": "4"}, later)) == [("job-exceeds-quota", ("jobs", 0))]


def test_b2_jobs_of_another_tenant_have_a_quota_of_their_own(stack, found):
    data = stack({"requests.cpu": "4"}, worker(3, requests={"cpu": "1"}), worker(3, requests={"cpu": "1"}))
    data["tenants"].append({"name": "speech"})
    data["jobs"][1]["tenant"] = "speech"
    assert found(data) == []


def test_a_job_that_just_fits_is_fine(stack, found):
    assert found(stack({"requests.cpu": "12"}, worker(3, requests={"cpu": "4"}))) == []


@pytest.mark.parametrize(("memory", "fits"), [("1G", True), ("1Gi", False)])
def test_b6_sums_are_exact(stack, found, memory, fits):
    assert (found(stack({"requests.memory": "1G"}, worker(requests={"memory": memory}))) == []) is fits


def test_b6_spellings_of_one_amount_are_equal(stack, found):
    jobs = [worker(requests={"cpu": cpu}) for cpu in (0.5, "0.5", "500m", "5e-1")]
    assert found(stack({"requests.cpu": "2"}, *jobs)) == []


def test_all_roles_of_a_job_count(stack, one):
    roles = {"ps": {"replicas": 2, "resources": {"requests": {"cpu": "1500m"}}}}
    finding = one(stack({"cpu": "3"}, worker(requests={"cpu": "500m"}) | roles))
    assert "need 3.5 cpu" in finding.message


def test_limits_count_under_their_own_keys(stack, found):
    job = worker(requests={"memory": "1Gi"}, limits={"memory": "3Gi"})
    assert found(stack({"limits.memory": "2Gi"}, job)) == [("job-exceeds-quota", ("jobs", 0))]
    assert found(stack({"requests.memory": "2Gi"}, job)) == []


@pytest.mark.parametrize("key", ["pods", "count/pods", "services", "count/services"])
def test_each_pod_counts_and_has_a_service(stack, found, key):
    assert found(stack({key: "2"}, worker(3))) == [("job-exceeds-quota", ("jobs", 0))]


def test_gpus_count_by_their_limit(stack, found):
    assert found(stack({GPU: "4"}, worker(5, gpus=1) | {"pool": "gpu"})) == [
        ("job-exceeds-quota", ("jobs", 0))
    ]


def test_a_sidecar_counts_beside_the_training_and_an_init_container_instead_of_it(stack, one, found):
    def beside(cpu):
        return [{"name": "b", "image": "b:1", "resources": {"requests": {"cpu": cpu}}}]

    trains = worker(requests={"cpu": "2"})
    assert found(stack({"requests.cpu": "4"}, trains | {"init_containers": beside("4")})) == []
    assert "need 5 " in one(stack({"requests.cpu": "4"}, trains | {"init_containers": beside("5")})).message
    assert "need 5 " in one(stack({"requests.cpu": "4"}, trains | {"sidecars": beside("3")})).message


def test_what_pod_overrides_ask_for_counts(stack, one):
    resources = {"requests": {"cpu": "9"}}
    overrides = {"containers": [{"name": "tensorflow", "resources": resources}]}
    job = worker(requests={"cpu": "1"}) | {"pod_overrides": overrides}
    assert "need 9 requests.cpu" in one(stack({"requests.cpu": "4"}, job)).message


def test_the_operator_takes_its_part(stack, one):
    data = stack({"requests.cpu": "4"}, worker(requests={"cpu": "4"}))
    data["training_operator"]["namespace"] = "vision"
    finding = one(data)
    assert "holds 4, 0.1 of it for the operator" in finding.message
    assert finding.remedy.endswith("raise the quota to 4.1")


def test_an_operator_that_this_stack_does_not_install_is_not_weighed(stack, found):
    data = stack({"requests.cpu": "4"}, worker(requests={"cpu": "4"}))
    data["training_operator"] = {"install": False, "namespace": "vision"}
    assert found(data) == []


def test_the_operator_is_obliged_like_every_pod(stack, found):
    data = stack({"requests.cpu": "4"}, worker(requests={"cpu": "1"}))
    nothing = {"requests": {"cpu": None}, "limits": {"cpu": None}}
    data["training_operator"] = {"namespace": "vision", "resources": nothing}
    place = ("training_operator", "resources", "requests", "cpu")
    assert found(data) == [("unstated-under-quota", place)]


def test_of_a_schedule_one_run_counts(stack, found):
    nightly = worker(requests={"cpu": "3"}) | {"schedule": "0 2 * * *"}
    assert found(stack({"requests.cpu": "4"}, nightly)) == []


def test_runs_that_may_overlap_are_weighed_together(stack, one):
    schedule = {"cron": "0 2 * * *", "concurrency_policy": "Allow"}
    finding = one(stack({"requests.cpu": "4"}, worker(requests={"cpu": "3"}) | {"schedule": schedule}))
    assert (finding.severity, finding.code) == ("warning", "overlapping-runs-exceed-quota")
    assert finding.message == (
        "two runs at once need 6 requests.cpu, and the quota of vision holds 4, "
        "0.02 of it for the pods that start runs"
    )


def test_a_paused_schedule_starts_nothing(stack, found):
    paused = worker(requests={"cpu": "3"}) | {"schedule": {"cron": "0 2 * * *", "suspend": True}}
    assert found(stack({"requests.cpu": "4"}, paused, worker(requests={"cpu": "3"}))) == []


def test_a_quota_of_jobs_counts_all_that_are_declared(stack, one):
    suspended = {"run_policy": {"suspend": True}}
    finding = one(stack({"count/tfjobs.kubeflow.org": "1"}, {}, suspended, {"schedule": "0 2 * * *"}))
    assert (finding.code, finding.message[:26]) == ("too-many-jobs", "the stack declares 2 jobs,")


@pytest.mark.parametrize(
    ("quota", "number"),
    [
        ({"requests.storage": "5Gi"}, "10Gi"),
        ({"shared.storageclass.storage.k8s.io/requests.storage": "5Gi"}, "10Gi"),
        ({"persistentvolumeclaims": "0"}, "1"),
        ({"shared.storageclass.storage.k8s.io/persistentvolumeclaims": "0"}, "1"),
    ],
)
def test_storage_fits_into_the_quota(stack, one, quota, number):
    finding = one(stack(quota))
    assert (finding.code, finding.place) == ("storage-exceeds-quota", ("tenants", 0, "quota", *quota))
    assert f"comes to {number}, and the quota holds {quota[finding.place[-1]]}" in finding.message


def test_storage_of_another_class_does_not_count(stack, found):
    assert found(stack({"fast.storageclass.storage.k8s.io/requests.storage": "5Gi"})) == []


@pytest.mark.parametrize(
    ("key", "instead"),
    [("nvidia.com/gpu", GPU), ("limits.nvidia.com/gpu", GPU)],
)
def test_b2_a_quota_key_that_does_nothing_is_refused(stack, subject, key, instead):
    with pytest.raises(ValidationError, match=f"write {instead}"):
        subject(stack({key: "4"}))


@pytest.mark.parametrize(
    "key",
    [
        "count/-",
        "count/pods.",
        "count/a..b",
        "requests.-.a/b",
        "-.storageclass.storage.k8s.io/requests.storage",
    ],
)
def test_a_malformed_quota_key_is_refused(stack, subject, key):
    with pytest.raises(ValidationError, match="not a quota that Kubernetes knows"):
        subject(stack({key: "4Gi"}))


def scoped(*priorities):
    return {"quota_priorities": list(priorities)}


def test_a_quota_of_certain_priorities_counts_no_other_pods(stack, found):
    large = worker(requests={"cpu": "9"})
    assert found(stack({"requests.cpu": "4"}, large, {}, **scoped("online-high"))) == []
    assert [code for code, _ in found(stack({"requests.cpu": "4"}, large, **scoped("offline-low")))] == [
        "job-exceeds-quota"
    ]


def test_the_operator_counts_under_the_default_priority(stack, found):
    data = stack({"requests.cpu": "50m"}, **scoped("offline-low"))
    data["training_operator"]["namespace"] = "vision"
    data["jobs"] = []
    assert found(data) == []


def test_the_priorities_of_a_quota_are_declared(stack, found):
    place = ("tenants", 0, "quota_priorities", 1)
    assert found(stack({"pods": "4"}, **scoped("offline-low", "batch"))) == [("unknown-priority", place)]


@pytest.mark.parametrize(
    "key", ["services", "requests.storage", "requests.ephemeral-storage", "count/tfjobs.kubeflow.org"]
)
def test_a_quota_of_certain_priorities_holds_no_other_keys(stack, one, key):
    finding = one(stack({"pods": "4", key: "4Gi" if "storage" in key else "4"}, **scoped("offline-low")))
    assert (finding.severity, finding.code) == ("fault", "key-beside-scope")
    assert finding.place == ("tenants", 0, "quota", key)


@pytest.mark.parametrize("key", ["pods", "count/pods", "cpu", "limits.memory", GPU])
def test_a_quota_of_certain_priorities_holds_what_pods_ask_for(stack, found, key):
    data = stack({key: "4Gi" if "memory" in key else "4"}, **scoped("offline-low"))
    data["jobs"] = []
    assert found(data) == []


def test_a_job_of_an_unknown_tenant_has_no_quota(stack, found):
    data = stack({"requests.cpu": "1"}, worker(requests={"cpu": "9"}))
    data["jobs"][0]["tenant"] = "nobody"
    assert [code for code, _ in found(data)] == ["unknown-tenant"]


def test_a_thousand_jobs_are_weighed_in_no_time(stack, found):
    roles = worker(4, requests={"cpu": "1", "memory": "1Gi"}, limits={"cpu": "2", "memory": "2Gi"})
    roles["ps"] = roles["chief"] = roles["evaluator"] = roles["worker"] | {"replicas": 1}
    big = stack({"requests.cpu": "200000", "limits.memory": "1Pi"}, *[roles] * 1000)
    began = time.process_time()
    assert found(big) == []
    assert (
        time.process_time() - began < 4
    )  # the models take their part; a check that is quadratic takes far more
