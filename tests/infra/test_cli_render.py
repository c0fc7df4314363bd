"""`colo render`: what a stack would apply, as files."""

from __future__ import annotations

import copy
from base64 import b64encode

import pulumi
import pulumi_kubernetes as kubernetes
import pytest
import yaml

from components.rendering.delivery.labels import NOBODY
from infra import rendered
from infra.cli import main

OF_NO_NAMESPACE = {"Namespace", "PriorityClass", "PersistentVolume"}


@pytest.fixture
def render(tmp_path, monkeypatch):
    """Renders a committed stack; returns the contents by file."""
    monkeypatch.delenv("KUBECONFIG", raising=False)

    def run(*options, stack="prod", out=tmp_path / "out"):
        assert main(["render", "--stack", stack, "--out", str(out), *options]) == 0
        return {str(f.relative_to(out)): f.read_text() for f in sorted(out.rglob("*")) if f.is_file()}

    return run


def objects(files):
    return [yaml.safe_load(text) for name, text in files.items() if name.startswith("objects/")]


@pytest.mark.parametrize("stack", ["dev", "staging", "prod"])
def test_every_stack_is_rendered_without_a_cluster(stack, render):
    found = objects(render(stack=stack))
    kinds = {one["kind"] for one in found}
    assert {"Namespace", "ResourceQuota", "TFJob", "PersistentVolumeClaim", "ConfigMap"} <= kinds


def test_every_namespaced_object_says_its_namespace(render):
    homeless = [one for one in objects(render()) if not one["metadata"].get("namespace")]
    assert {one["kind"] for one in homeless} == OF_NO_NAMESPACE


def test_the_same_stack_gives_the_same_bytes(render, tmp_path):
    assert render(out=tmp_path / "one") == render(out=tmp_path / "two")


def test_nothing_of_pulumis_and_no_owner_without_a_uid_is_in_an_object(render):
    found = [one["metadata"] for one in objects(render())]
    assert [m for m in found if "ownerReferences" in m or "pulumi.com/" in str(m.get("annotations"))] == []


def test_whole_numbers_are_whole(render):
    [job] = [one for one in objects(render()) if one["metadata"]["name"] == "tf-mnist-cpu"]
    replicas = job["spec"]["tfReplicaSpecs"]["Worker"]["replicas"]
    assert (replicas, type(replicas)) == (1, int)


def test_the_operators_overlay_and_the_marks_of_nodes_are_kept_apart(render):
    files = render()
    kustomization = yaml.safe_load(files["operator/kustomization.yaml"])
    assert kustomization["kind"] == "Kustomization"
    marks = yaml.safe_load(files["node-marks/gpu.yaml"])
    assert marks["labels"] == {"node-type": "gpu"}
    assert marks["nodes"][0] == "node-gpu-01"


def test_a_second_run_leaves_no_file_of_the_first_behind(render):
    render(stack="prod")
    files = render(stack="staging")
    assert "objects/kubeflow/cronjob-tf-digits-retrain.yaml" not in files
    listed = files.pop(".rendered").splitlines()
    assert listed == sorted(files)


def test_a_folder_whose_files_are_no_more_goes_too(render, tmp_path):
    render(stack="dev")
    old = tmp_path / "out" / "objects" / "team" / "job.yaml"
    old.parent.mkdir()
    old.touch()
    with (tmp_path / "out" / ".rendered").open("a") as listed:
        listed.write("objects/team/job.yaml\n")
    render(stack="dev")
    assert not old.parent.exists()


def test_a_folder_of_somebody_else_is_left_alone(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("mine")
    assert main(["render", "--stack", "dev", "--out", str(tmp_path)]) == 1
    assert "name a new or an empty folder" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_what_others_keep_in_a_rendered_folder_is_left_alone(render, tmp_path):
    """As the repository that the files are committed to."""
    render(stack="prod")
    mine = [
        tmp_path / "out" / name for name in (".git/HEAD", "README.md", "docs/a.md", "objects/kubeflow/b.md")
    ]
    for file in mine:
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine")
    render(stack="staging")
    assert [file.read_text() for file in mine] == ["mine"] * len(mine)


@pytest.mark.parametrize("listed", ["../mine.txt", "{folder}/mine.txt", "away/mine.txt", "objects"])
def test_a_list_of_files_that_no_run_wrote_removes_nothing(render, tmp_path, capsys, listed):
    out = tmp_path / "out"
    (out / "objects").mkdir(parents=True)
    (out / "first.yaml").write_text("")
    (out / "away").symlink_to(tmp_path)
    (tmp_path / "mine.txt").write_text("mine")
    (out / ".rendered").write_text(f"first.yaml\n{listed.format(folder=tmp_path)}\n")
    assert main(["render", "--stack", "dev", "--out", str(out)]) == 1
    assert "which is no file of this command; name a new or an empty folder" in capsys.readouterr().err
    assert (out / "first.yaml").exists()
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_file_in_place_of_the_folder_is_told(tmp_path, capsys):
    (tmp_path / "out").write_text("")
    assert main(["render", "--stack", "dev", "--out", str(tmp_path / "out")]) == 1
    assert "is no folder; name a new or an empty folder" in capsys.readouterr().err


def test_a_stack_with_faults_is_refused_as_check_refuses_it(tmp_path, capsys):
    assert main(["render", "--stack", "nowhere", "--out", str(tmp_path / "out")]) == 1
    assert "stacks/nowhere.yaml" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.fixture
def secretive(monkeypatch):
    """A program with secrets in a Secret and in the values of a release."""

    def assemble(ready, stack_name, secrets):
        kubernetes.core.v1.Secret(
            "key", metadata={"name": "key", "namespace": "team"}, string_data={"plain": "open sesame"}
        )
        values = {"password": pulumi.Output.secret("open sesame"), "replicas": 2}
        kubernetes.helm.v3.Release("chart", name="chart", chart="./chart", values=values)

    monkeypatch.setattr(rendered, "assemble", assemble)


def test_secrets_are_withheld(secretive, render):
    files = render(stack="dev")
    assert "open sesame" not in "".join(files.values())
    assert yaml.safe_load(files["objects/team/secret-key.yaml"])["stringData"] == {"plain": "(withheld)"}
    assert yaml.safe_load(files["releases/chart.yaml"])["values"] == {"password": "(withheld)", "replicas": 2}


def test_secrets_are_written_if_they_are_asked_for(secretive, render):
    files = render("--show-secrets", stack="dev")
    assert yaml.safe_load(files["releases/chart.yaml"])["values"]["password"] == "open sesame"
    assert yaml.safe_load(files["objects/team/secret-key.yaml"])["stringData"] == {"plain": "open sesame"}


ALERTS = {
    "default_receiver": "ops",
    "receivers": [
        {"name": "ops", "dingtalk": {"url_secret": "ops-url", "sign_secret": "ops-sign"}},
        {"name": "group", "wecom_robot": {"url_secret": "group-url"}},
        {
            "name": "app",
            "wecom_app": {"corp_id": "c", "agent_id": 7, "api_secret": "app-key", "to_user": "@all"},
        },
        {"name": "hook", "webhook": {"url_secret": "hook-url"}},
        {
            "name": "mail",
            "email": {
                "to": ["ops@example.com"],
                "sender": "a@example.com",
                "host": "mail.example.com",
                "username": "a",
                "password_secret": "mail-password",
            },
        },
    ],
    "routes": [
        {"severities": ["critical"], "receivers": ["app", "mail"]},
        {"teams": ["training"], "receivers": ["group", "hook"]},
    ],
}
SECRETS = ("ops-url", "ops-sign", "group-url", "app-key", "hook-url", "mail-password")


@pytest.fixture
def render_alerts(render, data, stack_file, monkeypatch):
    """Renders a stack whose alerts are told by every kind of receiver."""
    data |= {"monitoring": {}, "alerts": copy.deepcopy(ALERTS)}

    def run(*options, **where):
        monkeypatch.setattr("infra.places.STACKS", stack_file(data).parent)
        return render(*options, stack="test", **where)

    return run


def alertmanager(files):
    return yaml.safe_load(files["objects/monitoring/secret-colocation-alertmanager.yaml"])


def test_alertmanagers_configuration_is_shown_and_its_secrets_are_not(render_alerts):
    secret = alertmanager(render_alerts())
    config = yaml.safe_load(secret["stringData"]["alertmanager.yaml"])
    assert {receiver["name"] for receiver in config["receivers"]} == {
        "ops",
        "group",
        "app",
        "hook",
        "mail",
        NOBODY,
    }
    assert secret["data"] == dict.fromkeys(("app-key", "hook-url", "mail-password"), "(withheld)")


@pytest.mark.parametrize("options", [(), ("--show-secrets",)])
def test_no_value_of_a_secret_is_in_any_file(render_alerts, options, monkeypatch):
    values = {name: f"value-of-{name}!" for name in SECRETS}
    real = rendered.assemble

    def with_values(ready, stack_name, secrets):
        assert secrets.keys() == values.keys()
        return real(ready, stack_name, {k: pulumi.Output.secret(v) for k, v in values.items()})

    monkeypatch.setattr(rendered, "assemble", with_values)
    text = "".join(render_alerts(*options).values())
    found = [v for v in values.values() if v in text or b64encode(v.encode()).decode() in text]
    assert sorted(found) == (sorted(values.values()) if options else [])


def test_a_changed_route_is_all_that_differs(render_alerts, data, tmp_path):
    before = render_alerts(out=tmp_path / "before")
    assert before == render_alerts(out=tmp_path / "again")
    data["alerts"]["routes"][0]["severities"] = ["critical", "warning"]
    after = render_alerts(out=tmp_path / "after")
    [file] = [name for name in before if before[name] != after[name]]
    assert file == "objects/monitoring/secret-colocation-alertmanager.yaml"
    told = set(after[file].splitlines()) - set(before[file].splitlines())
    assert all('severity=~"critical|warning"' in line for line in told)
    assert told
