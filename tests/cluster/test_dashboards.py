"""Every question of every panel has an answer from the sandbox's Prometheus, or a reason why it has none."""

from __future__ import annotations

import json
import re

import pytest

from components.rendering.dashboards import Shown, dashboards
from components.rendering.dashboards.parts import Choice
from infra.places import STACKS
from infra.plan import plan
from sandbox import scratch
from tests.cluster import prometheus
from tests.cluster.conftest import Deployment, eventually, make_namespace

pytestmark = pytest.mark.cluster

NO_GPU = "the sandbox's GPU nodes are simulated, and nothing measures their GPUs"
NEVER = {
    ("gpu", "Pods that hold GPUs"): NO_GPU,
    ("gpu", "GPU use"): NO_GPU,
    ("gpu", "GPU memory used"): NO_GPU,
    ("gpu", "GPU use by job"): NO_GPU,
    ("gpu", "Temperature"): NO_GPU,
    ("gpu", "Power"): NO_GPU,
    ("gpu", "Last XID error"): NO_GPU,
    ("gpu", "Failed row remaps"): NO_GPU,
    ("gpu", "Faulty rows of memory"): NO_GPU,
    ("gpu", "PCIe replays"): NO_GPU,
    ("training-jobs", "GPU use"): NO_GPU,
    ("training-jobs", "GPU memory used"): NO_GPU,
    ("colocation", "Preemptions", "victims in an hour"): "the sandbox's scheduler is not scraped",
}
"""Page, panel and, where it is one question of several, its legend."""
SOMETIMES = {
    (
        "training-jobs",
        "Jobs that ended in an hour",
        "{{job_namespace}} failed",
    ): "if another test broke a job",
    ("training-jobs", "Jobs that ended in an hour", "{{job_namespace}} restarted"): "likewise",
    ("colocation", "Preemptions", "offline, ending now"): "while a preempted pod ends",
}
ONLINE = "dashboards-online"
TRAINING = """
import time
from training_metrics import TrainingMetrics

metrics = TrainingMetrics(port=8080)
for step in range(100000):
    metrics.progress(epoch=step // 10, step=step, loss=1 / (step + 1), accuracy=0.5, examples=32)
    if step % 10 == 0:
        metrics.checkpoint_written()
    time.sleep(0.5)
"""
SMALL = {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"cpu": "500m", "memory": "512Mi"}}
SOON = 240


@pytest.fixture(scope="module")
def life(sandbox, tmp_path_factory):
    """A training that goes on, one that has ended, one that fails again and again, and a busy service."""
    project = tmp_path_factory.mktemp("life") / "project"
    deployment = Deployment(sandbox, scratch.copied(sandbox.workspace, project))
    committed, stack = deployment.stack_file.read_text(), deployment.stack
    image = stack["jobs"][0]["image"]
    for name, text in {"trains": TRAINING, "ends": "print()\n", "fails": "raise SystemExit(1)\n"}.items():
        deployment.script(f"{name}.py").write_text(text)
        worker = {"replicas": 1, "resources": SMALL}
        job = {"name": name, "tenant": "kubeflow", "priority": "offline-low", "image": image}
        stack["jobs"].append({**job, "script": f"{name}.py", "worker": worker})
    stack["jobs"][-1]["worker"]["restart_policy"] = "OnFailure"
    stack["jobs"][-3]["metrics_port"] = 8080
    stack["monitoring"] = {"install": False}
    deployment.write(stack)
    deployment.up()
    make_namespace(sandbox, ONLINE)
    sandbox.kubectl("apply", "-f", "-", stdin=json.dumps(service(image)))
    yield deployment
    sandbox.kubectl("delete", "namespace", ONLINE, "--wait=false")
    deployment.stack_file.write_text(committed)
    deployment.up()


def service(image):
    """A pod of no class, and so an online one, that wants more processor than it may have."""
    container = {
        "name": "service",
        "image": image,
        "imagePullPolicy": "Never",
        "command": ["python3", "-c", "while True: pass"],
        "resources": {"requests": {"cpu": "20m"}, "limits": {"cpu": "50m", "memory": "64Mi"}},
    }
    spec = {"containers": [container], "terminationGracePeriodSeconds": 0}
    metadata = {"name": "service", "namespace": ONLINE}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


PAGES = dashboards(Shown.of(plan(STACKS / "dev.yaml").stack))
QUESTIONS = [(page, panel, query) for page in PAGES for panel in page.panels for query in panel.queries]


def reason(table, page, panel, query):
    return table.get((page.name, panel.title)) or table.get((page.name, panel.title, query.legend))


def filled(expr, chosen):
    """A question as Grafana sends it."""
    for name, values in {"__rate_interval": ["1m"], **chosen}.items():
        expr = expr.replace(f"${name}", "|".join(values))
    return expr


def choices(page):
    """Every variable with all its values, as a reader finds them who has chosen nothing yet."""
    chosen = {}
    for variable in page.variables:
        if isinstance(variable, Choice):
            chosen[variable.name] = list(variable.values)
            continue
        kind, inner = re.fullmatch(r"(label_values|query_result)\((.*)\)", variable.query).groups()
        if kind == "label_values":
            metric, _, label = inner.rpartition(", ")
            series = prometheus.query(f"group by ({label}) (last_over_time({filled(metric, chosen)}[1h]))")
            found = {one["metric"][label] for one in series if label in one["metric"]}
        else:
            lines = [line(one["metric"]) for one in prometheus.query(filled(inner, chosen))]
            matches = [re.search(variable.regex.strip("/"), text) for text in lines]
            found = {match[1] for match in matches if match}
        chosen[variable.name] = sorted(found)
    return chosen


def line(labels):
    """A series as `query_result` writes it."""
    return "{" + ",".join(f'{key}="{value}"' for key, value in labels.items()) + "}"


def answer(page, panel, query):
    """The series of an hour, or of now where a panel shows no course of time."""
    expr = filled(query.expr, choices(page))
    now = panel.kind in ("stat", "bars", "table")
    return prometheus.query(expr if now else f"count_over_time(({expr})[1h:15s])")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_variable_has_values_to_choose_from(life, page):
    eventually(lambda: all(choices(page).values()), timeout_seconds=SOON)


@pytest.mark.parametrize(
    ("page", "panel", "query"), QUESTIONS, ids=[f"{p.name}: {a.title}: {q.legend}" for p, a, q in QUESTIONS]
)
def test_a_question_has_an_answer_or_a_reason_why_not(life, page, panel, query):
    if reason(NEVER, page, panel, query):
        assert answer(page, panel, query) == []  # else the reason no longer holds
    elif reason(SOMETIMES, page, panel, query):
        answer(page, panel, query)  # Prometheus accepts it
    else:
        eventually(lambda: answer(page, panel, query), timeout_seconds=SOON)


def test_every_reason_is_for_a_question_that_there_is():
    asked = {(page.name, panel.title) for page, panel, _ in QUESTIONS}
    asked |= {(page.name, panel.title, query.legend) for page, panel, query in QUESTIONS}
    assert NEVER.keys() | SOMETIMES.keys() <= asked
    assert not NEVER.keys() & SOMETIMES.keys()


def test_the_dashboards_are_where_the_sidecar_looks_for_them(life):
    found = life.sandbox.items("configmaps", "-n", "monitoring", "-l", "grafana_dashboard=1")
    names = {f"colocation-dashboard-{page.name}" for page in PAGES}
    assert names <= {item["metadata"]["name"] for item in found}


def test_a_second_preview_is_empty(life):
    assert life.plan() == {}


def test_the_command_beside_a_job_shows_its_logs(life):
    [page] = [page for page in PAGES if page.name == "training-jobs"]
    [panel] = [panel for panel in page.panels if panel.title == "Conditions and commands"]

    def rows():
        labels = [one["metric"] for one in answer(page, panel, panel.queries[0])]
        return [found for found in labels if found["tfjob"] == "fails"]

    for row in eventually(rows, timeout_seconds=SOON):
        assert row["logs"] == "kubectl logs -n kubeflow -l training.kubeflow.org/job-name=fails"
        life.sandbox.kubectl(*row["logs"].split()[1:])
