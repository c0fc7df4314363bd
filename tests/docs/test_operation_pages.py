"""The pages about installing, upgrading, recovering and removing: found, and with examples that are right."""

from __future__ import annotations

import re

import pytest
import yaml

from infra.models import MonitoringSpec, PoolSpec, StorageSpec, TenantSpec
from tests.docs.conftest import ROOT, Page, pages

TASKS = ROOT / "docs" / "tasks"
TESTED = (ROOT / "tests" / "cluster" / "test_recovery.py").read_text("utf-8")


def test_every_page_is_reached_from_the_readme():
    reached, open_ends = set(), [ROOT / "README.md"]
    while open_ends:
        file = open_ends.pop()
        if file in reached or file.suffix != ".md" or not file.is_file():
            continue
        reached.add(file)
        links = (link.partition("#")[0] for link in Page(file).links() if "://" not in link)
        open_ends += [(file.parent / link).resolve() for link in links if link]
    assert {file for file in pages() if (ROOT / "docs") in file.parents} - reached == set()


def anchors(file):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_every_link_into_a_page_leads_to_a_heading(page):
    inner = [link for link in page.links() if "#" in link and "://" not in link]
    lost = []
    for link in inner:
        name, _, anchor = link.partition("#")
        file = (page.file.parent / name).resolve() if name else page.file
        if file.suffix == ".md" and anchor not in anchors(file):
            lost.append(link)
    assert lost == []


@pytest.mark.parametrize(
    "heading", re.findall(r"^## (.*)$", (TASKS / "recovery.md").read_text(), re.MULTILINE)
)
def test_every_command_of_a_recovery_is_typed_by_the_cluster_test(heading):
    commands = Page(TASKS / "recovery.md").typed(heading)
    assert not commands or f'RECOVERY, "{heading}"' in TESTED or f'RECOVERY.typed("{heading}")' in TESTED


def test_the_examples_of_a_managed_cluster_are_ones_that_the_program_accepts():
    pools, storage, monitoring = map(yaml.safe_load, Page(TASKS / "managed-cluster.md").blocks("yaml"))
    for pool in pools["pools"]:
        PoolSpec.model_validate(pool)
    [claim] = storage["storage"]
    StorageSpec.model_validate({**claim, "tenant": "kubeflow"})
    assert MonitoringSpec.model_validate(monitoring["monitoring"]).managed_control_plane


def test_the_tenant_of_jobs_that_are_taken_over_is_one_that_the_program_accepts():
    _, example = Page(TASKS / "import-a-job.md").blocks("yaml")
    [tenant] = yaml.safe_load(example)["tenants"]
    assert not TenantSpec.model_validate(tenant).network_policy


def test_the_pages_of_training_say_the_same_of_the_same_job():
    entries = []
    for name in ("add-a-training-job", "training-metrics", "survive-a-preemption"):
        for block in Page(TASKS / f"{name}.md").blocks("yaml"):
            data = yaml.safe_load(block)
            listed = data if isinstance(data, list) else []
            entries += [job for job in listed if job.get("name") == "churn-model"]
    assert len(entries) == 3
    for key in ("tenant", "priority", "script", "checkpoint_path", "volumes"):
        assert len({str(job[key]) for job in entries}) == 1, key
    assert len({str(job["worker"]["resources"]) for job in entries}) == 1
