"""What is no manifest gets one clear sentence."""

import io
import sys

import pytest
import yaml

from infra.cli import main
from tests.infra.importing.manifests import manifest, with_container

JOB = yaml.safe_dump(manifest())
DEPLOYMENT = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}"
CLAIM = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}"
PYTORCH = "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: p}}"


@pytest.fixture
def run(tmp_path, capsys):
    """Exit code, entries and findings of an import of these contents."""

    def run(*contents):
        files = []
        for i, content in enumerate(contents):
            files.append(tmp_path / f"{i}.yaml")
            files[-1].write_bytes(content if isinstance(content, bytes) else content.encode())
        code = main(["import", *map(str, files)])
        out, err = capsys.readouterr()
        entries = [entry for entry in yaml.safe_load_all(out) if entry is not None]
        return code, entries, [line.replace(f"{tmp_path}/", "") for line in err.splitlines()]

    return run


def of(lines, severity):
    return [line for line in lines if line.startswith(f"{severity} ")]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a: [b", "0.yaml:2 the file: not valid YAML"),
        ("", "0.yaml:1 the file: holds no object"),
        ("---\n---\n# nothing\n", "holds no object"),
        ("just text", "0.yaml:1 the file: is no object of Kubernetes"),
        (DEPLOYMENT, "Deployment web is no TFJob"),
        (PYTORCH, "PyTorchJob p is no TFJob"),
        (b"\x80\x81\x00\xff", "is not UTF-8 text"),
        (b"kind: TFJob\x00\n", "holds a control character"),
        ("# " + "x" * 9 * 2**20, "has more than 8 MiB"),
        ("{{ .Values.job }}", "the file: "),
        (JOB.replace("kind: TFJob", "kind: TFJob\nkind: TFJob"), "given twice"),
        (JOB.replace("kubeflow.org/v1", "kubeflow.org/v2"), "is no version of TFJob"),
        ("kind: TFJob", "apiVersion is missing"),
        ("apiVersion: kubeflow.org/v1\nkind: TFJob\nspec: []", "a list stands here"),
    ],
)
def test_what_cannot_be_imported_gets_a_sentence_with_place_and_remedy(run, content, sentence):
    code, entries, lines = run(content)
    assert (code, entries) == (1, [])
    assert any(sentence in line for line in of(lines, "fault")), lines
    assert all(line.startswith(("fault ", "warning ", "advice ")) and "; " in line for line in lines)


def test_what_cannot_be_read_ends_with_2_and_the_others_are_imported(tmp_path, capsys):
    (tmp_path / "job.yaml").write_text(JOB)
    code = main(["import", str(tmp_path / "none.yaml"), str(tmp_path), str(tmp_path / "job.yaml")])
    out, err = capsys.readouterr()
    assert code == 2
    assert yaml.safe_load(out)["name"] == "mnist"
    assert "there is no such file" in err
    assert "is a folder" in err


def test_every_document_and_every_item_of_a_list_becomes_an_entry(run):
    listed = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [manifest(), manifest()]})
    code, entries, _ = run(f"{JOB}---\n{listed}", JOB)
    assert code == 0
    assert len(entries) == 4


def test_one_bad_item_of_a_list_keeps_the_others(run):
    items = [manifest(), with_container(name="trainer")]
    code, entries, lines = run(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": items}))
    assert (code, len(entries)) == (1, 1)
    [fault] = of(lines, "fault")
    assert " items[1].spec.tfReplicaSpecs.Worker.template.spec.containers[0]: " in fault


def test_lines_count_from_the_start_of_the_file(run):
    content = f"{CLAIM}\n---\n{JOB.replace('kind: TFJob', 'kind: TFJob')}".replace(
        "replicas: 2", "replica: 2"
    )
    _, _, lines = run(content)
    [fault] = of(lines, "fault")
    number = 1 + content.splitlines().index("      replica: 2")
    assert fault.startswith(f"fault 0.yaml:{number} spec.tfReplicaSpecs.Worker.replica: ")


def test_what_stands_beside_jobs_is_left_out_with_a_warning(run):
    code, entries, lines = run(f"{CLAIM}\n---\n{JOB}")
    assert (code, len(entries)) == (0, 1)
    [warning] = of(lines, "warning")
    assert "PersistentVolumeClaim data is no TFJob and is left out" in warning


def test_a_dash_reads_from_stdin(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(JOB.encode())))
    assert main(["import", "-"]) == 0
    out, err = capsys.readouterr()
    assert yaml.safe_load(out)["name"] == "mnist"
    assert "<stdin>:" in err


def test_entries_are_utf_8_whatever_the_terminal_knows(tmp_path, monkeypatch):
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="ascii"))
    (tmp_path / "j.yaml").write_text(yaml.safe_dump(with_container(args=["Grüße"])), encoding="utf-8")
    assert main(["import", str(tmp_path / "j.yaml")]) == 0
    assert yaml.safe_load(out.getvalue().decode("utf-8"))["args"] == ["Grüße"]


def test_of_an_endless_stdin_no_more_is_read_than_a_manifest_has(monkeypatch, capsys):
    with open("/dev/zero", "rb") as endless:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(endless))
        assert main(["import", "-"]) == 1
    assert "has more than 8 MiB" in capsys.readouterr().err


def test_stdout_holds_entries_only_and_text_over_lines_stays_readable(run, tmp_path, capsys):
    job = with_container(command=["python", "-c", "import os\nprint(os)\n"])
    (tmp_path / "j.yaml").write_text(yaml.safe_dump(job))
    main(["import", str(tmp_path / "j.yaml")])
    assert "  - |\n    import os\n    print(os)\n" in capsys.readouterr().out
