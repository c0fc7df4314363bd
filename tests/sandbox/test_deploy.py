"""What `make up` says at its end, and what it asks for on the way."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from infra import versions
from sandbox import cluster, deploy, images, machine, system, tools
from sandbox.progress import Progress

OUTPUTS = {
    "namespaces": ["kubeflow"],
    "pools": {"gpu": ["node-1", "node-2"], "spare": []},
    "training_operator": {"namespace": "kubeflow"},
    "jobs": {"mnist": {"state": "kubectl get tfjob -n kubeflow mnist"}},
}
JOB = deploy.JobState(
    namespace="kubeflow",
    name="mnist",
    leader="mnist-worker-0",
    state="Succeeded",
    nodes=("node-cpu-01",),
    accuracy="0.97",
    simulated=False,
)


def summary(report: Progress, outputs: dict[str, object] = OUTPUTS, **changes: int) -> str:
    return "\n".join(deploy._summary([JOB], outputs, changes, report))


def test_the_summary_says_what_is_where(report: Progress) -> None:
    text = summary(report, create=31)
    assert "pool gpu: node-1, node-2\n" in text
    assert "pool spare: no node yet\n" in text
    assert f"training operator: {versions.TRAINING_OPERATOR} in kubeflow\n" in text
    assert "namespaces: kubeflow\n" in text
    assert "mnist  Succeeded  on node-cpu-01  accuracy 0.97\n" in text
    assert "  kubectl get tfjob -n kubeflow mnist\n" in text


def test_an_operator_of_somebody_elses_is_not_said_to_be_deployed(report: Progress) -> None:
    without = {key: value for key, value in OUTPUTS.items() if key != "training_operator"}
    assert "training operator" not in summary(report, without)


def test_a_run_that_changes_nothing_says_so(report: Progress) -> None:
    assert "nothing has changed, all of its 31 resources were as declared" in summary(report, same=31)


def test_a_run_that_changes_something_counts_it(report: Progress) -> None:
    text = summary(report, same=29, update=1, create=2)
    assert "is deployed: create 2, update 1." in text
    assert "nothing has changed" not in text


def test_without_a_history_nothing_is_claimed(report: Progress) -> None:
    assert "The stack `dev` is deployed.\n" in summary(report)


def test_programs_and_images_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ensure(what: str) -> object:
        return lambda *arguments: asked.append(what) or {"kubectl": Path("kubectl")}

    class EnoughError(Exception):
        pass

    def stop_here() -> None:
        raise EnoughError

    monkeypatch.setattr(machine, "check", lambda: None)
    monkeypatch.setattr(machine, "exclusive", stop_here)
    for module, what in ((system, "packages"), (tools, "programs"), (images, "images")):
        monkeypatch.setattr(module, "ensure", ensure(what))
    with pytest.raises(EnoughError):
        deploy.deploy(Progress(io.StringIO()))
    assert asked == ["packages", "programs", "images"]
    asked.clear()
    with pytest.raises(EnoughError):
        cluster.up(Progress(io.StringIO()))
    assert asked == ["packages", "programs", "images"]
