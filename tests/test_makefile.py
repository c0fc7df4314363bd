"""What the make targets would run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def clone(tmp_path):
    """A fresh clone: what make looks at, and no environment."""
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def commands(folder, target):
    """The commands of a target, none of which is run."""
    done = subprocess.run(
        ["make", "--dry-run", target], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("target", ["down", "clean"])
def test_what_ends_the_sandbox_makes_no_environment_for_it(clone, target):
    wanted = commands(clone, target)
    assert "pip install" not in wanted
    assert f"infra.cli sandbox {target}" in wanted


@pytest.mark.parametrize("broken", [None, "#!/nonexistent/python3"])
def test_any_python_will_do_where_the_environment_is_broken(clone, broken):
    if broken:
        python = clone / ".venv" / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text(broken)
        python.chmod(0o755)
    (clone / "infra" / "cli").mkdir(parents=True)
    for file in ("infra/__init__.py", "infra/cli/__init__.py"):
        (clone / file).touch()
    (clone / "infra" / "cli" / "__main__.py").write_text("import sys; print(sys.argv[1:])")
    # As on a command line: a make that runs the tests tells the makes below it of itself.
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(["make", "clean"], cwd=clone, env=own, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("['sandbox', 'clean']\n")
    assert not (clone / ".venv").exists()


def test_everything_is_built_before_the_tests_that_need_it(clone):
    wanted = commands(clone, "test")
    build = wanted.index("colo sandbox build")
    assert wanted.count("colo sandbox build") == 1
    assert wanted.index("mypy") < build < wanted.index('-m "not cluster"') < wanted.index("-m cluster")


def test_the_unit_tests_alone_build_nothing(clone):
    assert "sandbox build" not in commands(clone, "unit")
