"""README and its Chinese twin say the same, and name every make target."""

from __future__ import annotations

import re

import pytest

from infra.plan import plan


@pytest.fixture
def twins(root):
    return [(root / name).read_text("utf-8") for name in ("README.md", "README.zh-CN.md")]


def shape(text):
    """What must not differ between the languages."""
    return {
        "headings": [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)],
        "blocks": re.findall(r"```.*?```", text, re.DOTALL),
        "rows": len(re.findall(r"^\|", text, re.MULTILINE)),
        "commands of tables": re.findall(r"^\| (`[^`]+`) \|", text, re.MULTILINE),
        "links": [link for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith("README")],
        "items": len(re.findall(r"^- ", text, re.MULTILINE)),
        "measurements to fill in": text.count("<!-- MEASURED"),
    }


def test_the_twins_have_the_same_headings_commands_and_links(twins):
    english, chinese = twins
    assert shape(english) == shape(chinese)


def test_exactly_two_commands_do_the_set_up(twins):
    for text in twins:
        assert re.findall(r"```sh\n(.*?)```", text, re.DOTALL)[0] == "make up\nmake test\n"


def test_every_target_that_help_lists_is_in_the_readme(root, twins):
    targets = re.findall(r"^([a-z]+):.*## ", (root / "Makefile").read_text(), re.MULTILINE)
    assert "up" in targets
    for text in twins:
        assert [target for target in targets if f"`make {target}`" not in text] == []


@pytest.mark.parametrize("name", ["dev", "staging", "prod"])
def test_the_table_of_stacks_has_their_numbers(root, twins, name):
    stack = plan(root / "stacks" / f"{name}.yaml").stack
    quota = stack.tenants[0].quota
    [gpu] = [pool for pool in stack.pools if pool.name == "gpu"]
    for text in twins:
        _, _, cluster, nodes, held, _, _ = re.search(rf"^\| `{name}` .*$", text, re.MULTILINE)[0].split("|")
        assert re.findall(r"\d+", nodes) == [str(len(gpu.nodes)), str(gpu.capacity.gpus)]
        cpu, memory, gpus = (quota[f"requests.{key}"] for key in ("cpu", "memory", "nvidia.com/gpu"))
        assert held.strip() == f"{cpu} CPU, {memory}, {gpus} GPUs"
        if name == "prod":
            workers = sum(len(pool.nodes) for pool in stack.pools)
            assert re.findall(r"\d+", cluster) == ["3", str(workers)]
