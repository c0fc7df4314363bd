"""A plan is a stack that is fit to be declared."""

import os
from pathlib import Path

import pytest

from infra.load import StackFileError
from infra.plan import plan


def test_a_plan_has_the_text_of_the_scripts(stack_file, data):
    assert plan(stack_file(data)).scripts == {"train.py": "print('accuracy=1.0')\n"}


@pytest.fixture
def files(stack_file, data):
    """The files that the one job gets when its script and what lies beside it have these texts."""

    def of(**texts):
        file = stack_file(data)
        for name, text in texts.items():
            (file.parent / "scripts" / f"{name}.py").write_text(text)
        ready = plan(file)
        return list(ready.files(ready.stack.jobs[0]))

    return of


@pytest.mark.parametrize(
    "text",
    ["import nets", "import nets.sub as n", "from nets import a", "def f():\n    import os, nets\n"],
)
def test_a_script_has_what_it_imports_from_beside_it(files, text):
    assert files(train=text, nets="", losses="") == ["train.py", "nets.py"]


def test_imports_of_imports_come_along_and_circles_end(files):
    found = files(train="import nets", nets="import losses", losses="import nets, train, tensorflow")
    assert found == ["train.py", "nets.py", "losses.py"]


@pytest.mark.parametrize("text", ["import tensorflow", "from . import nets", "# import nets", "import é"])
def test_what_is_not_imported_or_not_beside_it_is_left_to_the_image(files, text):
    assert files(train=text or "print()", nets="", é="") == ["train.py"]


@pytest.mark.parametrize("text", ["import nets as", "\0"])
def test_a_script_that_python_cannot_read_is_no_plan(files, text):
    with pytest.raises(StackFileError, match="script-syntax"):
        files(train=text, nets="")


def test_nobody_is_told_what_python_thinks_of_a_script(files, recwarn):
    assert files(train="import nets\nprint('\\d')", nets="") == ["train.py", "nets.py"]
    assert list(recwarn) == []


def test_a_job_without_a_script_has_no_files(stack_file, data):
    del data["jobs"][0]["script"]
    ready = plan(stack_file(data))
    assert ready.files(ready.stack.jobs[0]) == {}


def test_an_import_that_is_no_text_is_told_at_the_job(stack_file, data):
    file = stack_file(data)
    (file.parent / "scripts" / "train.py").write_text("import nets")
    (file.parent / "scripts" / "nets.py").write_bytes(b"\xff")
    with pytest.raises(StackFileError, match=r"script: nets.py, which train.py imports, is not UTF-8 text"):
        plan(file)


def test_a_script_and_its_imports_are_weighed_together(stack_file, data):
    file = stack_file(data)
    half = "#" * (600 * 1024)
    (file.parent / "scripts" / "train.py").write_text(f"import nets\n{half}")
    plan(file)
    (file.parent / "scripts" / "nets.py").write_text(half)
    with pytest.raises(StackFileError, match=r"train\.py and what it imports have 12"):
        plan(file)


def test_faults_of_checks_name_file_and_line(stack_file, data):
    data["jobs"][0]["pool"] = "gpus"
    file = stack_file(data)
    line = file.read_text().splitlines().index("  pool: gpus") + 1
    with pytest.raises(StackFileError) as caught:
        plan(file)
    text = f"{file}:{line} jobs[0].pool: no pool of the stack is called gpus; write gpu [unknown-pool, mnist]"
    assert str(caught.value) == text


def test_warnings_do_not_stop_anything(stack_file, data):
    del data["jobs"][0]["pool"]
    [warning] = plan(stack_file(data)).findings
    assert "jobs[0].worker.resources.gpus: warning: GPUs are asked for and no pool" in str(warning)


def test_warnings_are_told_beside_faults(stack_file, data):
    del data["jobs"][0]["pool"]
    data["jobs"][0]["tenant"] = "nobody"
    with pytest.raises(StackFileError) as caught:
        plan(stack_file(data))
    assert [found.severity for found in caught.value.findings] == ["fault", "warning"]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda script: script.write_bytes(b"\xff"), "train.py is not UTF-8 text; save it as UTF-8"),
        (lambda script: script.mkdir(), "train.py is a folder; put a file there"),
        (
            lambda script: script.symlink_to("none"),
            "train.py is a link to nothing; put the file there itself",
        ),
        (lambda script: script.symlink_to("/dev/zero"), "train.py is no plain file; put a file there"),
        (os.mkfifo, "train.py is no plain file; put a file there"),
    ],
)
def test_a_script_that_is_there_and_no_text_is_told_as_such(stack_file, data, make, sentence):
    file = stack_file(data)
    script = file.parent / "scripts" / "train.py"
    script.unlink()
    make(script)
    with pytest.raises(StackFileError, match=sentence):
        plan(file)


def test_files_that_no_job_names_are_left_unread(stack_file, data):
    file = stack_file(data)
    os.mkfifo(file.parent / "scripts" / "other.py")
    assert list(plan(file).scripts) == ["train.py"]


@pytest.mark.parametrize("endless", ["/dev/zero", "/dev/urandom"])
def test_a_file_without_an_end_is_too_large(endless):
    with pytest.raises(StackFileError, match="file-too-large"):
        plan(Path(endless))


def test_a_stack_file_has_its_bounds(stack_file):
    with pytest.raises(StackFileError, match="more than 2 MiB"):
        plan(stack_file("#" * 2**21 + "\n"))


def test_the_operator_may_come_from_elsewhere_than_the_file_says(stack_file, data):
    file = stack_file(data)
    assert plan(file).stack.training_operator.source is None
    assert plan(file, "/src/overlay").stack.training_operator.source == "/src/overlay"


def test_an_operator_that_is_not_installed_comes_from_nowhere(stack_file, data):
    data["training_operator"] = {"install": False}
    assert plan(stack_file(data), "/src/overlay").stack.training_operator.source is None
