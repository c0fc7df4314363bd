"""What Git keeps works on every machine."""

from __future__ import annotations

import os
import re
import tomllib

# Where packages come from is for whoever installs to say: mirrors differ from site to site.
REGISTRIES = re.compile(
    r"pypi\.org|pythonhosted\.org|proxy\.golang\.org|sum\.golang\.org|registry\.npmjs\.org|npmjs\.com"
    r"|deb\.debian\.org|security\.debian\.org|crates\.io|goproxy\.(?:cn|io)|conda\.anaconda\.org"
)
MACHINE_PATHS = re.compile(r"(?<![\w.~$}])/(?:work|root|Users|home/(?!trainer\b)\w+)/|\.pyenv\b")


def lines_with(pattern, files, root):
    """`file:line` of every match; files that are no text are passed over."""
    found = []
    for file in files:
        try:
            lines = file.read_text("utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        name = file.relative_to(root)
        found += [f"{name}:{i}" for i, line in enumerate(lines, start=1) if pattern.search(line)]
    return found


def test_no_file_names_a_package_registry(committed, root):
    assert lines_with(REGISTRIES, committed, root) == []


def test_no_file_names_a_path_of_somebodys_machine(committed, root):
    this = os.path.relpath(__file__, root)
    others = [file for file in committed if str(file.relative_to(root)) != this]
    assert lines_with(MACHINE_PATHS, others, root) == []


def test_nothing_that_is_made_is_kept(committed, root):
    made = (
        ".venv",
        ".colocation",
        "__pycache__",
        ".hypothesis",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
    )
    parts = [set(file.relative_to(root).parts) for file in committed]
    assert [part for part in parts if part & set(made)] == []


def test_every_locked_package_has_a_hash_and_one_exact_version(root):
    for lock in ("requirements.lock", "sandbox/images/tensorflow.lock"):
        text = (root / lock).read_text()
        assert "--index" not in text
        assert "--find-links" not in text
        entries = re.split(r"\n(?=[A-Za-z])", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).strip())
        loose = [entry.split()[0] for entry in entries if "==" not in entry.split()[0]]
        bare = [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry]
        assert (loose, bare) == ([], []), lock


def test_every_dependency_of_the_project_is_in_the_lock(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {normal(re.match(r"[\w.-]+", requirement)[0]) for requirement in wanted}
    locked = {normal(n) for n in re.findall(r"^([\w.-]+)==", (root / "requirements.lock").read_text(), re.M)}
    assert names <= locked


def normal(name):
    """A package's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
