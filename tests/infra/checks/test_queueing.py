"""Queues: what they hold, and what takes a job out of them."""

import pytest

from infra import places
from infra.checks import queueing, quota
from infra.load import StackFileError
from infra.plan import plan
from infra.queue_quotas import queue_quotas
from infra.versions import KUEUE, KUEUE_OLDEST

GPU = "requests.nvidia.com/gpu"


@pytest.fixture
def stack(data, cpu_job):
    """A tenant with a quota, apart from the operator's namespace, queues, and jobs of one worker each."""

    def build(quota, *jobs, **tenant):
        data["tenants"][0] |= {"quota": quota} | tenant
        data["training_operator"]["namespace"] = "elsewhere"
        data["queueing"] = {}
        data["jobs"] = [cpu_job(f"j{i}", **job) for i, job in enumerate(jobs or [{}])]
        return data

    return build


@pytest.fixture
def found(subject):
    def look(data):
        seen = subject(data)
        return [*queueing.check(seen), *quota.check(seen)]

    return look


@pytest.fixture
def quotas(subject):
    """What the queue of the first tenant holds."""

    def look(data):
        seen = subject(data)
        return queue_quotas(seen.stack, seen.stack.tenants[0], seen.workloads)

    return look


def worker(replicas=1, **resources):
    return {"worker": {"replicas": replicas, "resources": resources}}


def test_a_queue_holds_what_the_quota_holds_and_names_what_it_does_not_bound(stack, quotas):
    job = worker(requests={"cpu": "1", "memory": "1Gi"}) | {"pool": "gpu"}
    job["worker"]["resources"]["gpus"] = 1
    held = quotas(stack({"requests.cpu": "6", "pods": "4", "limits.memory": "8Gi", "services": "9"}, job))
    assert held == {"cpu": "6", "memory": "1P", "nvidia.com/gpu": "1P", "pods": "4"}


def test_of_two_keys_for_one_resource_the_smaller_counts(stack, quotas):
    assert quotas(stack({"cpu": "6", "requests.cpu": "4"}))["cpu"] == "4"


def test_what_the_operators_pod_takes_is_taken_off(stack, quotas):
    data = stack({"requests.cpu": "6", "pods": "4"})
    data["training_operator"]["namespace"] = "vision"
    held = quotas(data)
    assert (held["cpu"], held["pods"]) == ("5900m", "3")


@pytest.mark.parametrize(("policy", "cpu", "pods"), [("Forbid", "5990m", "3"), ("Replace", "5980m", "2")])
def test_what_the_pods_take_that_start_runs_is_taken_off(stack, quotas, policy, cpu, pods):
    schedule = {"cron": "0 2 * * *", "concurrency_policy": policy}
    held = quotas(stack({"requests.cpu": "6", "pods": "4"}, {"schedule": schedule}))
    assert (held["cpu"], held["pods"]) == (cpu, pods)


@pytest.mark.parametrize(("counted", "cpu"), [("online-high", "5900m"), ("offline-low", "5990m")])
def test_of_both_a_quota_counts_those_of_its_priorities(stack, quotas, counted, cpu):
    schedule = {"cron": "0 2 * * *", "concurrency_policy": "Forbid"}
    data = stack({"requests.cpu": "6"}, {"schedule": schedule}, quota_priorities=[counted])
    data["training_operator"]["namespace"] = "vision"  # under the global default, an online class
    assert quotas(data)["cpu"] == cpu


def test_jobs_that_wait_may_exceed_the_quota_together(stack, found):
    data = stack({"requests.cpu": "4"}, *[worker(requests={"cpu": "3"})] * 3)
    assert found(data) == []
    del data["queueing"]
    assert [finding.code for finding in found(data)] == ["jobs-exceed-quota"]


def test_a_job_larger_than_its_queue_is_refused(stack, found):
    schedule = {"cron": "0 2 * * *", "concurrency_policy": "Forbid"}
    [finding] = found(stack({"requests.cpu": "4"}, worker(requests={"cpu": "4"}) | {"schedule": schedule}))
    assert (finding.severity, finding.code) == ("fault", "job-exceeds-quota")
    assert "holds 4, 0.01 of it for the pods that start runs" in finding.message


def test_a_tenant_without_a_quota_has_no_queue_and_that_is_a_warning(stack, found):
    [finding] = found(stack({}))
    assert (finding.severity, finding.code, finding.place) == (
        "warning",
        "queueing-without-quota",
        ("tenants", 0),
    )


def test_limits_that_no_counted_resource_holds_in_check_are_a_warning(stack, found):
    job = worker(requests={"cpu": "1"}, limits={"memory": "3Gi"})
    data = stack({"requests.cpu": "4", "limits.memory": "8Gi"}, job)
    [finding] = found(data)
    assert (finding.code, finding.place) == ("quota-beside-queue", ("tenants", 0, "quota", "limits.memory"))
    data["tenants"][0]["quota"]["limits.memory"] = "12Gi"
    assert found(data) == []


def test_services_count_as_limits_do(stack, found):
    data = stack({"requests.cpu": "4", "services": "3"}, worker(4, requests={"cpu": "1"}))
    assert "quota-beside-queue" in [finding.code for finding in found(data)]
    data["tenants"][0]["quota"]["services"] = "4"
    assert found(data) == []


def test_a_suspended_job_is_refused_in_a_queue_and_fine_without(stack, found):
    data = stack({"requests.cpu": "4"}, {"run_policy": {"suspend": True}})
    assert [finding.code for finding in found(data)] == ["queued-job-suspended"]
    data["tenants"][0] |= {"quota": {}}
    assert [finding.code for finding in found(data)] == ["queueing-without-quota"]


@pytest.mark.parametrize("field", ["labels", "annotations"])
@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("queue-name", "queue-named-twice"),
        ("priority-class", "queued-job-steered"),
        ("prebuilt-workload-name", "queued-job-steered"),
        ("max-exec-time-seconds", "queued-job-steered"),
        ("podset-required-topology", "queued-job-steered"),
    ],
)
def test_what_kueue_reads_on_a_job_is_refused_in_a_queue_and_fine_without(stack, found, field, key, code):
    key = f"kueue.x-k8s.io/{key}"
    data = stack({"requests.cpu": "4"}, {field: {key: "60"}})
    [finding] = found(data)
    assert (finding.severity, finding.code, finding.place) == ("fault", code, ("jobs", 0, field, key))
    del data["queueing"]
    assert found(data) == []


def test_a_gangs_class_that_kueue_would_prefer_to_the_jobs_own_is_refused(stack, found):
    data = stack(
        {"requests.cpu": "4"}, {"run_policy": {"scheduling_policy": {"priority_class": "online-high"}}}
    )
    place = ("jobs", 0, "run_policy", "scheduling_policy", "priority_class")
    assert ("fault", "queued-job-steered", place) in [(f.severity, f.code, f.place) for f in found(data)]


@pytest.mark.parametrize("field", ["labels", "annotations"])
@pytest.mark.parametrize("key", ["team", "priority-class", "example.com/queue-name", "not-kueue.x-k8s.io/a"])
def test_other_marks_of_a_queued_job_are_fine(stack, found, field, key):
    assert found(stack({"requests.cpu": "4"}, {field: {key: "60"}})) == []


def test_each_mark_of_kueues_is_told(stack, found):
    marks = {f"kueue.x-k8s.io/{key}": "1" for key in ("queue-name", "priority-class", "elastic-job")}
    places = [finding.place[-1] for finding in found(stack({"requests.cpu": "4"}, {"labels": marks}))]
    assert places == list(marks)


@pytest.mark.parametrize("name", ["vision", "elsewhere", "kube-system", "monitoring", "gpu-monitoring"])
def test_the_namespace_of_kueue_is_its_own(stack, found, name):
    data = stack({"requests.cpu": "4"}) | {"monitoring": {}, "queueing": {"namespace": name}}
    data["pools"][0]["gpu_model"] = "NVIDIA-L4"
    assert [finding.code for finding in found(data)] == ["queueing-namespace-taken"]


@pytest.mark.parametrize(
    ("version", "codes"),
    [
        ("0.9.0", ["queueing-chart-old"]),
        ("0.14.8", ["queueing-chart-old"]),
        ("0.15.0", []),
        ("0.15.0-rc.1", []),
        ("1.0.0", []),
    ],
)
@pytest.mark.parametrize("source", [{}, {"source": "oci://mirror.example/kueue"}], ids=["public", "mirror"])
def test_a_chart_has_to_know_the_queues_that_are_sent(stack, found, source, version, codes):
    data = stack({"requests.cpu": "4"}) | {"queueing": {"chart": source | {"version": version}}}
    findings = found(data)
    assert [finding.code for finding in findings] == codes
    assert [finding.place for finding in findings] == [("queueing", "chart", "version")] * len(codes)


def test_the_kueue_that_is_installed_unasked_knows_them():
    assert tuple(map(int, KUEUE.split("."))) >= KUEUE_OLDEST


@pytest.fixture
def beside(data, tmp_path, monkeypatch, stack_file):
    """A stack file whose chart of Kueue lies beside it, with this definition."""

    def write(definition):
        chart = tmp_path / "charts" / "kueue"
        chart.mkdir(parents=True)
        (chart / "Chart.yaml").write_text(definition)
        monkeypatch.setattr(places, "ROOT", tmp_path)
        data["tenants"][0]["quota"] = {GPU: 4}
        data["queueing"] = {"chart": {"source": "charts/kueue"}}
        return stack_file(data)

    return write


def test_a_chart_beside_the_stack_has_to_be_kueues(beside):
    wanted = r"charts/kueue is the chart grafana; give .* of the chart kueue"
    with pytest.raises(StackFileError, match=wanted):
        plan(beside("{name: grafana, version: 0.9.0}"))


@pytest.mark.parametrize("version", ["0.9.0", "v0.14.8"])
def test_a_chart_beside_the_stack_may_not_be_old_either(beside, faults, version):
    [fault] = faults(beside(f"{{name: kueue, version: {version}}}"))
    assert "queueing.chart.source: " in fault
    assert f"Kueue {version} does not know kueue.x-k8s.io/v1beta2" in fault
    assert fault.endswith("take the chart of Kueue 0.15 or newer")


@pytest.mark.parametrize("version", ["0.15.0", "unreleased", "17"])
def test_a_chart_beside_the_stack_may_be_new_or_without_a_version_of_kueues(beside, version):
    assert plan(beside(f"{{name: kueue, version: {version}}}")).findings == ()
