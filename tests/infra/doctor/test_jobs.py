"""Jobs without pods, the operator behind them, and jobs that ended otherwise than they should."""

import pytest

from infra.cluster.watching import Watching
from infra.doctor import concerning
from tests.infra.doctor.conftest import (
    NOW,
    ago,
    container,
    ended,
    event,
    named,
    operator,
    pod,
    tfjob,
)
from tests.infra.live.conftest import webhook


@pytest.fixture
def waits(clinic):
    """A job that was created a minute ago, and has no pods."""
    clinic.jobs, clinic.pods = [tfjob(state="Created")], []
    return clinic


def refusal(text):
    return event("FailedCreatePod", f"Error creating: {text}", "mnist", "TFJob")


@pytest.mark.parametrize(
    ("text", "code", "word"),
    [
        (
            'pods "m" is forbidden: exceeded quota: quota, requested: requests.cpu=1, '
            "used: requests.cpu=200, limited: requests.cpu=200",
            "quota-exceeded",
            "used requests.cpu=200 of requests.cpu=200",
        ),
        (
            "failed quota: quota: must specify limits.memory for: tensorflow",
            "quota-needs-amounts",
            "limits.memory",
        ),
        (
            'pods is forbidden: User "system:serviceaccount:vision:training-operator" cannot create resource '
            '"pods" in API group "" in the namespace "vision"',
            "operator-without-rights",
            "vision:training-operator may not create resource pods",
        ),
        ('violates PodSecurity "restricted:latest"', "pod-security-refuses", "vision"),
        ('admission webhook "guard.example" denied the request: no', "webhook-intercepts", "guard.example"),
        ('failed calling webhook "guard.example": no endpoints', "webhook-intercepts", "guard.example"),
        ("no PriorityClass with name offline-lo was found", "priority-class-absent", "offline-lo"),
        ('serviceaccount "trainer" not found', "service-account-absent", "trainer"),
        ("namespace vision because it is being terminated", "namespace-terminating", "vision"),
        ("maximum memory usage per Container is 1Gi", "limit-range-refuses", "LimitRange"),
        ("something else", "pod-refused", "refuses"),
    ],
)
def test_why_pods_are_refused_is_read_from_the_event(waits, text, code, word):
    waits.events = [refusal(text)]
    found = waits.only(code)
    assert (found.breaks_at, word in found.cause) == ("events", True), found.cause


def test_a_refusal_of_a_job_before_it_of_that_name_is_not_its_own(waits):
    waits.events = [
        refusal("something") | {"involvedObject": {"kind": "TFJob", "name": "mnist", "uid": "old"}}
    ]
    assert waits.only("not-taken-up")


def test_a_job_that_is_moments_old_is_no_finding(clinic):
    clinic.jobs, clinic.pods = [tfjob(state="")], []
    clinic.jobs[0]["metadata"]["creationTimestamp"] = ago(5)
    assert clinic.found() == ()


def test_an_operator_that_says_nothing_has_not_taken_the_job_up(waits):
    found = waits.only("not-taken-up")
    assert "it stays Created" in found.cause
    assert "kubectl logs -n vision deploy/training-operator" in found.fix


def test_an_operators_own_log_says_which_right_it_lacks(waits):
    line = 'msg="pods is forbidden: User \\"system:serviceaccount:x\\" cannot list resource \\"pods\\""'
    waits.log(line, "training-operator-1", "training-operator")
    found = waits.only("operator-without-rights")
    assert (found.breaks_at, found.affects) == ("logs", ("mnist",))
    assert "cannot list" in dict(found.shown())["logs"]


@pytest.mark.parametrize("replicas", [0, 1])
def test_an_operator_that_is_down_is_the_cause_of_its_silent_webhook(clinic, replicas):
    clinic.jobs, clinic.pods = [], []
    clinic.kinds["deployments"] = [operator(ready=0, replicas=replicas)]
    clinic.live = {"webhooks": (webhook(ready=False),)}
    found = clinic.only("operator-down")
    assert found.affects == ("mnist",)
    assert ("scaled to 0" in found.cause) == (replicas == 0)


def test_an_operator_whose_own_pod_is_ill_is_down_for_that(clinic):
    from tests.infra.doctor.conftest import operators_pod

    ill = operators_pod()
    ill["metadata"]["name"] = "training-operator-0"
    ill["status"] = {"phase": "Pending", "containerStatuses": [{"name": "training-operator"}]}
    ill["status"]["containerStatuses"][0]["state"] = {"waiting": {"reason": "InvalidImageName"}}
    clinic.pods.append(ill)
    clinic.kinds["deployments"] = [operator(ready=0)]
    assert "is no name of an image" in clinic.only("operator-down").cause


# --- what is declared and not there


def test_a_stack_of_which_nothing_is_there_is_not_deployed(clinic):
    clinic.jobs, clinic.pods = [], []
    clinic.kinds |= {kind: [] for kind in clinic.kinds}
    found = clinic.only("not-deployed")
    assert found.fix.endswith("pulumi up --stack dev")


def test_without_the_definition_that_alone_is_told(clinic):
    clinic.jobs, clinic.pods, clinic.live = [], [], {"crds": ()}
    found = clinic.only("crd-absent")
    assert (found.affects, found.fix) == (("mnist",), "pulumi up --refresh --stack dev")


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        ("deployments", "Deployment vision/training-operator"),
        ("priorityclasses", "PriorityClass online-high"),
        ("persistentvolumeclaims", "PersistentVolumeClaim vision/data"),
    ],
)
def test_a_declared_object_that_is_not_there_is_told(clinic, kind, title):
    clinic.kinds[kind] = []
    assert clinic.only("not-in-cluster").object == title


def test_a_kind_that_may_not_be_read_is_not_missing(clinic):
    clinic.kinds = dict.fromkeys(clinic.kinds)
    clinic.jobs = clinic.pods = None
    assert clinic.found() == ()


def test_a_missing_namespace_is_told_with_its_jobs_and_not_with_what_is_in_it(clinic):
    clinic.kinds["namespaces"], clinic.jobs, clinic.pods = [], [], []
    clinic.kinds["persistentvolumeclaims"] = []
    found = clinic.only("not-in-cluster")
    assert (found.object, found.affects) == ("Namespace vision", ("mnist",))


def test_a_missing_job_is_told(clinic):
    clinic.jobs, clinic.pods = [], []
    assert clinic.only("not-in-cluster").object == "TFJob vision/mnist"


def test_a_job_that_its_ttl_takes_away_is_not_missing(clinic_of, data):
    data["jobs"][0]["run_policy"] = {"ttl_seconds_after_finished": 60, "recreate": True}
    clinic = clinic_of(data)
    clinic.jobs, clinic.pods = [], []
    assert clinic.found() == ()


# --- failed, held back, scheduled


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("job has failed because it was active longer than specified deadline", "deadline-exceeded"),
        ("job has failed because it has reached the specified backoff limit", "backoff-limit"),
        ("TFJob mnist has failed because 1 Worker replica(s) failed.", "job-failed"),
    ],
)
def test_a_failed_job_whose_pods_are_gone_is_told_by_the_operators_word(clinic, message, code):
    clinic.jobs, clinic.pods = [tfjob(state="Failed", message=message)], []
    assert message in [text for _, text in clinic.only(code).shown()]


def test_a_failed_job_whose_pod_says_why_is_told_by_that_alone(clinic):
    clinic.jobs = [tfjob(state="Failed", message="1 Worker replica(s) failed")]
    clinic.pods = [pod(phase="Failed", statuses=[container(state={"terminated": ended(3)})])]
    assert clinic.only("exited")


def test_a_job_that_somebody_suspended_is_a_warning(clinic, clinic_of, data):
    clinic.jobs, clinic.pods = [tfjob(state="Suspended", policy={"suspend": True})], []
    assert clinic.only("suspended-by-others").severity == "warning"
    data["jobs"][0]["run_policy"] = {"suspend": True}
    declared = clinic_of(data)
    declared.jobs, declared.pods = clinic.jobs, []
    assert declared.found() == ()


def test_of_a_schedules_runs_the_newest_counts(clinic_of, data):
    data["jobs"][0]["schedule"] = "0 2 * * *"
    clinic = clinic_of(data)
    label = {"colocation.io/job": "mnist"}
    runs = [tfjob("mnist-1", "Failed", labels=label), tfjob("mnist-2", "Succeeded", labels=label)]
    for run, age in zip(runs, (7200, 3600), strict=True):
        run["metadata"]["creationTimestamp"] = ago(age)
    clinic.jobs, clinic.pods = runs, []
    clinic.kinds["cronjobs"] = [named("mnist")]
    assert clinic.found() == ()
    runs[0]["metadata"]["creationTimestamp"] = ago(60)
    assert clinic.only("job-failed").object == "TFJob vision/mnist-1"


# --- what does not end, or comes back


def test_pods_that_outlive_their_job_are_a_warning(clinic):
    clinic.jobs = [
        tfjob(state="Succeeded", replicas={"PS": 1, "Worker": 1}, policy={"cleanPodPolicy": "None"})
    ]
    clinic.pods = [pod("mnist-ps-0"), pod("mnist-worker-0", phase="Succeeded")]
    found = clinic.only("pods-after-the-end")
    assert (found.severity, "mnist-ps-0" in found.fix) == ("warning", True)
    clinic.jobs[0]["status"]["conditions"][-1]["lastTransitionTime"] = ago(3)
    assert clinic.found() == ()


def test_a_sidecar_that_keeps_a_pod_alive_is_told(clinic):
    done = container(state={"terminated": ended(0, "Completed")})
    clinic.pods = [pod(statuses=[done, container("istio-proxy")])]
    found = clinic.only("sidecar-keeps-pod")
    assert "istio-injection-" in found.fix
    clinic.pods = [pod(statuses=[done, container("logger")])]
    assert "sidecars" in clinic.only("sidecar-keeps-pod").fix


def test_a_container_that_begins_again_after_a_good_end_came_back(clinic):
    clinic.pods = [pod(statuses=[container(restarts=2, last=ended(0, "Completed"))])]
    assert clinic.only("came-back").severity == "warning"


def made_twice():
    return event("SuccessfulCreatePod", "Created pod: mnist-worker-0", "mnist", "TFJob", warns=False, count=2)


def test_a_pod_that_was_made_again_after_it_had_finished_came_back(clinic):
    clinic.events = [made_twice()]
    assert "made it anew" in clinic.only("came-back").cause


def test_pods_of_an_earlier_job_of_that_name_are_not_counted(clinic):
    earlier = made_twice()
    earlier["involvedObject"]["uid"] = "earlier"
    clinic.events = [earlier]
    assert clinic.found() == ()


@pytest.mark.parametrize("reason", ["Killing", "Evicted", "Preempted"])
def test_a_pod_that_was_made_again_since_it_was_stopped_is_no_finding(clinic, reason):
    clinic.events = [made_twice(), event(reason, "Stopping container", uid="earlier", warns=False)]
    assert clinic.found() == ()


# --- progress


def test_a_training_that_makes_no_step_is_a_fault_by_its_metrics(clinic):
    clinic.jobs = [tfjob(since=3600)]
    clinic.change["watching"] = Watching(idle_seconds={("vision", "mnist"): 1200.0})
    found = clinic.only("no-progress")
    assert (found.severity, "20 min" in found.cause) == ("fault", True)
    clinic.change["watching"] = Watching(idle_seconds={("vision", "mnist"): 20.0})
    assert clinic.found() == ()


def test_a_training_that_says_nothing_is_a_warning_by_its_log(clinic):
    clinic.jobs = [tfjob(since=3600)]
    clinic.log("epoch 3", last=NOW.replace(hour=11))
    found = clinic.only("no-progress")
    assert (found.severity, "60 min" in found.cause) == ("warning", True)
    clinic.log("epoch 3", last=NOW.replace(hour=11, minute=59))
    assert clinic.found() == ()


def test_a_training_that_has_just_begun_may_say_nothing(clinic):
    clinic.log("epoch 3", last=NOW.replace(hour=11))
    assert clinic.found() == ()


# --- one job


def test_what_is_asked_of_one_job_leaves_the_others_out(clinic):
    clinic.jobs = [tfjob(), tfjob("other", "Failed")]
    [found] = clinic.found()
    assert (concerning(found, "other"), concerning(found, "mnist")) == (True, False)
