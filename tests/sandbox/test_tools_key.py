"""A cached build is used exactly as long as nothing that made it has changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from infra import versions
from sandbox import gomod, programs, toolchain

GO = "1.26.8"


def key(group: str = "pulumi", go: str = GO) -> str:
    [found] = [one for one in programs.groups() if one.name == group]
    return toolchain.key(found, go)


def test_the_key_is_stable(sources: Path) -> None:
    assert key() == key()


@pytest.mark.parametrize("file", ["go.mod", "go.sum", "kubernetes-provider/main.go"])
def test_the_key_changes_with_every_source(file: str, sources: Path) -> None:
    before = key()
    with (sources / "pulumi" / file).open("a") as source:
        source.write("// changed\n")
    assert key() != before


def test_the_key_changes_with_go() -> None:
    assert key(go="1.26.8") != key(go="1.26.9")


def test_the_key_changes_with_the_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key()
    monkeypatch.setattr(toolchain, "_FLAGS", ("-trimpath",))
    assert key() != before


def test_the_key_changes_with_a_stamp() -> None:
    group = programs.group_of("pulumi")
    assert toolchain.key(group, GO) != toolchain.key(replace(group, stamps=()), GO)


@pytest.mark.parametrize("part", ["completed", "tags"])
def test_the_key_changes_with_what_else_goes_into_a_build(part: str) -> None:
    group = programs.group_of("prometheus")
    assert getattr(group, part)
    assert toolchain.key(group, GO) != toolchain.key(replace(group, **{part: ()}), GO)


def test_the_key_ignores_estimates_and_other_groups(sources: Path) -> None:
    group = programs.group_of("pulumi")
    assert toolchain.key(group, GO) == toolchain.key(replace(group, gibibytes=99), GO)
    before = key()
    (sources / "etcd" / "go.sum").write_text("changed")
    assert key() == before


def test_versions_come_from_go_mod(sources: Path) -> None:
    file = sources / "kubernetes" / "go.mod"
    text = file.read_text()
    version = gomod.version("kubernetes", programs.KUBERNETES)
    file.write_text(text.replace(f"{programs.KUBERNETES} {version}", f"{programs.KUBERNETES} v1.34.99"))
    gomod.text.cache_clear()
    stamps = dict(programs.group_of("kubelet").stamps)
    assert stamps["k8s.io/component-base/version.gitVersion"] == "v1.34.99"
    assert stamps["k8s.io/component-base/version.gitMinor"] == "34"


def test_a_release_in_a_comment_wins_over_a_commit() -> None:
    assert gomod.version("pulumi", programs.PULUMI_KUBERNETES).count("-") == 0


def test_a_module_that_is_not_required_is_an_error() -> None:
    with pytest.raises(KeyError, match=r"example\.org/nothing is not required"):
        gomod.version("etcd", "example.org/nothing")


def test_the_operator_that_is_built_is_the_one_that_stacks_install() -> None:
    assert gomod.version("training-operator", programs.TRAINING_OPERATOR) == versions.TRAINING_OPERATOR
