"""`colo doctor` and `colo status` by a server on this machine that answers as an API server would."""

import json
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from infra.cli import main
from infra.cluster.api_server import ApiServer
from infra.cluster.objects import Unread
from infra.cluster.overview import Measures, overview
from infra.doctor.chain import Diagnosis, Evidence
from infra.doctor.text import written
from infra.plan import plan
from tests.infra.doctor.conftest import NOW, Clinic, node, pod, tfjob, unscheduled
from tests.infra.live.test_reader import CRD, Server

FOUND = Diagnosis(
    code="no-room",
    object="TFJob vision/mnist",
    breaks_at="events",
    cause="the nodes are full",
    fix="wait",
    evidence=(Evidence("events", "FailedScheduling: no"), Evidence("target", "1 worker")),
    affects=("mnist", "other"),
)


def test_the_first_line_names_the_cause_and_the_steps_follow_in_order():
    assert written([FOUND], (), "text").splitlines() == [
        "fault: TFJob vision/mnist: the nodes are full [no-room]",
        "    target   1 worker",
        "  > events   FailedScheduling: no",
        "    stops    other",
        "    fix      wait",
    ]


def test_what_a_log_says_does_not_steer_the_terminal():
    log = "\x1b[2J\x1b]0;all is well\x07 \x9b1A\x7fKilled\t137"
    text = written([replace(FOUND, evidence=(Evidence("logs", log),))], (), "text")
    assert "Killed 137" in text
    assert [c for c in text if not c.isprintable() and c != "\n"] == []


def test_programs_get_everything():
    found = json.loads(written([FOUND], (), "json"))
    assert found["counts"] == {"fault": 1, "warning": 0, "advice": 0}
    assert found["diagnoses"][0]["breaks_at"] == "events"


@pytest.mark.parametrize(
    ("kind", "words", "manifest"),
    [
        (
            "services/proxy",
            "Prometheus could not be asked: nothing is said of metrics",
            "metrics-reader.yaml",
        ),
        ("nodes", "nodes could not be read, so nothing is said of them", "reader.yaml"),
    ],
)
def test_what_could_not_be_read_is_called_as_people_call_it(kind, words, manifest):
    text = written([], [Unread(kind=kind, reason="forbidden")], "text")
    assert words in text
    assert f"rbac/{manifest}" in text


@pytest.fixture
def server(kubeconfig):
    server = Server()
    server.answers[CRD] = 404
    kubeconfig(server.url)
    yield server
    server.http.shutdown()
    server.http.server_close()


@pytest.fixture
def doctor(stack_file, data, server, capsys):
    def run(*options):
        code = main(["doctor", "--file", str(stack_file(data)), *options])
        return code, *capsys.readouterr()

    return run


def test_a_stack_that_is_not_there_is_one_fault(doctor):
    code, out, err = doctor()
    assert (code, err) == (1, "")
    assert out.startswith("fault: stack test: nothing of the stack is in this cluster [not-deployed]\n")


def test_only_gets_are_sent(doctor, server):
    doctor()
    assert {command for command, _, _ in server.asked} == {"GET"}


def test_what_may_not_be_read_is_said_and_is_no_fault(doctor, server):
    for path in ("/api/v1/nodes", "/api/v1/pods", "/apis/kubeflow.org/v1/tfjobs", "/api/v1/namespaces"):
        server.answers[path] = 403
    _code, out, _ = doctor("--format", "json")
    found = json.loads(out)
    assert {one["kind"] for one in found["unread"]} == {"namespaces", "nodes", "pods", "tfjobs"}
    assert "not-deployed" not in {one["code"] for one in found["diagnoses"]}


@pytest.mark.parametrize("command", ["doctor", "status"])
def test_a_server_that_falls_silent_on_the_way_is_told(
    command, stack_file, data, server, monkeypatch, capsys
):
    monkeypatch.setattr("infra.cluster.api_server._SECONDS", (1, 0.2))
    server.http.handle_error = lambda *_: None  # nobody waits for its answer
    server.answers["/api/v1/pods"] = lambda _: time.sleep(1) or {"items": []}
    assert main([command, "--file", str(stack_file(data))]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "does not answer (nothing came within 0.2 s)" in err


def test_a_job_that_the_stack_does_not_have_is_told(doctor):
    code, out, err = doctor("minst")
    assert (code, out) == (2, "")
    assert "has no job minst; write mnist" in err


def test_a_stack_file_with_faults_is_not_looked_at(stack_file, data, server, capsys):
    data["jobs"][0]["pool"] = "gpus"
    assert main(["doctor", "--file", str(stack_file(data))]) == 2
    assert "no pool of the stack is called gpus" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["doctor", "status"])
def test_no_cluster_is_one_sentence_and_exit_code_2(command, monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    assert main([command, "--stack", "dev"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"colo {command}: cannot look: ")


def managed(name, *managers):
    return {"metadata": {"name": name, "managedFields": [{"manager": manager} for manager in managers]}}


@pytest.mark.parametrize(
    ("managers", "said"),
    [
        ([], "the cluster carries no stack of these files; name one by --stack: dev, prod, staging"),
        (["colocation-dev", "colocation-prod"], "the cluster carries dev and prod"),
    ],
)
def test_which_stack_is_meant_is_asked_where_the_cluster_does_not_tell(server, capsys, managers, said):
    server.answers["/api/v1/namespaces"] = {"items": [managed("kubeflow", *managers)]}
    assert main(["doctor"]) == 2
    assert said in capsys.readouterr().err


def test_the_stack_that_the_cluster_carries_is_meant(server, capsys):
    server.answers["/api/v1/namespaces"] = {"items": [managed("kubeflow", "kubectl", "colocation-dev")]}
    main(["doctor"])
    assert "\nstack dev: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("managers", "told"), [(["colocation-dev"], True), (["colocation-prod"], False), ([], False)]
)
def test_status_of_a_stack_that_is_elsewhere_says_so(server, capsys, managers, told):
    server.answers["/api/v1/namespaces"] = {"items": [managed("kubeflow", *managers)]}
    assert main(["status", "--stack", "prod"]) == 0
    lines = capsys.readouterr().out.splitlines()
    sentence = "the cluster carries dev, not prod: see --stack, or kubectl's current context"
    assert (sentence == lines[1], sentence in lines) == (told, told)


def test_ages_are_by_the_clusters_clock_and_not_by_the_one_here(server):
    stated = "Thu, 01 Jan 2026 12:00:00 GMT"
    server.http.RequestHandlerClass.date_time_string = lambda *_: stated
    asked = ApiServer()
    asked.version()
    assert asked.now == NOW


# --- a large stack


def test_two_hundred_jobs_with_twelve_hundred_pods_take_few_requests_and_seconds(
    server, stack_file, data, capsys
):
    names = [f"job-{i:03}" for i in range(200)]
    data["jobs"] = [
        data["jobs"][0] | {"name": name, "worker": {"replicas": 6, "resources": {"gpus": 1}}}
        for name in names
    ]
    filler = {"managedFields": [{"fieldsV1": {f"f:{i}": {} for i in range(150)}}]}
    pods = []
    for name in names:
        for i in range(6):
            one = unscheduled(job=name) if i % 2 else pod(f"{name}-worker-{i}", job=name)
            one["metadata"] |= filler | {"name": f"{name}-worker-{i}"}
            pods.append(one)
    server.answers |= {
        "/api/v1/pods": paged(pods),
        "/apis/kubeflow.org/v1/tfjobs": paged([tfjob(name, replicas={"Worker": 6}) for name in names]),
        "/api/v1/namespaces": {"items": [managed("vision", "colocation-test")]},
        "/api/v1/nodes": {"items": [node(f"n{i}") for i in range(1, 101)]},
    }
    file = stack_file(data)
    since = time.process_time()  # the machine may be busy with others; this counts the server of the test too
    assert main(["doctor", "--file", str(file)]) == 1
    assert time.process_time() - since < 5
    assert "200 jobs, 1200 pods looked at" in capsys.readouterr().out
    assert len(server.asked) < 60


def paged(items):
    def page(query):
        start = int(query.get("continue", ["0"])[0])
        more = {"continue": str(start + 500)} if start + 500 < len(items) else {}
        return {"items": items[start : start + 500], "metadata": more}

    return page


# --- status


@pytest.fixture
def clinic(stack_file, data):
    return Clinic(plan(stack_file(data)))


def shown(clinic, measures=None):
    case = clinic.case()
    return overview(case.stack, case.state, measures)


def test_status_shows_a_row_for_each_job_and_role(clinic):
    clinic.jobs = [tfjob(replicas={"PS": 1, "Worker": 2})]
    ready = [{"type": "Ready", "status": "True"}]
    clinic.pods = [pod("mnist-ps-0", conditions=ready), pod("mnist-worker-0", node="n2")]
    assert shown(clinic).splitlines() == [
        "vision:",
        "  JOB       STATE    READY  NODE     AGE  RESTARTS",
        "  mnist     Running  1/3    2 nodes  60m  0",
        "    ps               1/1    n1            0",
        "    worker           0/2    n2            0",
    ]


def test_status_shows_what_metrics_say_and_what_the_quota_holds(clinic):
    key = ("vision", "mnist")
    clinic.kinds["resourcequotas"] = [
        {
            "metadata": {"name": "quota", "namespace": "vision"},
            "status": {"hard": {"requests.cpu": "200"}, "used": {"requests.cpu": "500m"}},
        }
    ]
    text = shown(clinic, Measures(epochs={key: 3.0}, losses={key: 0.12345}))
    assert "epoch 3" in text
    assert "0.1235" in text
    assert "requests.cpu  0.5   200  0%" in text


def test_status_names_jobs_that_are_not_there(clinic):
    clinic.jobs, clinic.pods = [], []
    assert "mnist  absent" in shown(clinic)


def test_status_fits_on_80_columns_whatever_things_are_called(clinic):
    name = "a-very-long-name-of-a-job-that-somebody-has-thought-of"
    clinic.jobs = [tfjob(name, replicas={"Chief": 1, "Worker": 100}), tfjob("mnist")]
    clinic.pods = [
        pod(f"{name}-worker-{i}", job=name, node=f"ip-10-0-0-{i}.compute.internal") for i in range(3)
    ]
    key = ("vision", name)
    measures = Measures(epochs={key: 12345.0}, losses={key: 1.234e-12})
    lines = shown(clinic, measures).splitlines()
    assert max(map(len, lines)) <= 80, lines


def test_watching_goes_on_until_it_is_interrupted(stack_file, data, server, monkeypatch, capsys):
    waits = iter([None, None, KeyboardInterrupt()])

    def sleep(_):
        if (ends := next(waits)) is not None:
            raise ends

    # Of this module alone: threads of other tests may sleep meanwhile.
    monkeypatch.setattr("infra.cli.status.time", SimpleNamespace(sleep=sleep))
    assert main(["status", "--file", str(stack_file(data)), "--watch"]) == 0
    assert capsys.readouterr().out.count("stack test at ") == 3
