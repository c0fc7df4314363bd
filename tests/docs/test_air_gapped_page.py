"""docs/tasks/air-gapped.md names whatever comes from outside, and what the stack file says instead."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import get_args

import pytest
import yaml
from pydantic import BaseModel

from components.training_operator import overlay_from
from infra import versions
from infra.models import JobSpec, Stack
from infra.vocabulary import TRAINING_OPERATOR_IMAGE, TRAINING_OPERATOR_REGISTRY
from sandbox import tools
from tests.docs.conftest import ROOT, Page

PAGE = Page(ROOT / "docs" / "tasks" / "air-gapped.md")
MIRROR = "mirror.example.org"
TAKES_A_SOURCE = {"image", "image_registry", "image_registries", "source", "repository", "registry", "url"}


def models_in(annotation):
    """Models that a field holds, in whatever it wraps them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from models_in(inner)


def sources(model, path=()):
    """Paths of all fields that say where something comes from."""
    for name, field in model.model_fields.items():
        if name in TAKES_A_SOURCE:
            yield (*path, name)
        for inner in models_in(field.annotation):
            yield from sources(inner, (*path, name))


def test_every_field_that_takes_an_image_or_a_source_is_named():
    named = {tuple(re.findall(r"\w+", span)) for span in PAGE.spans()}
    of_jobs = {"jobs"}
    wanted = {path for path in sources(Stack) if path[0] not in of_jobs}
    # Receivers are addresses that alerts go to; nothing is fetched from them.
    wanted = {path for path in wanted if path[:2] != ("alerts", "receivers")}
    assert ("monitoring", "gpu_metrics", "image") in wanted
    assert sorted(wanted - named) == []
    assert {path[0] for path in sources(JobSpec)} == {
        *("image", "chief", "worker", "ps", "evaluator", "init_containers", "sidecars")
    }


def test_every_image_chart_and_manifest_of_the_program_is_named_in_its_version():
    constants = {name: value for name, value in vars(versions).items() if name.isupper()}
    texts = {name: value for name, value in constants.items() if isinstance(value, str)}
    assert {"MONITORING_CHART", "DCGM_EXPORTER_IMAGE", "PYTHON_IMAGE"} <= set(texts)
    whole = texts.pop("TRAINING_OPERATOR_SOURCE")
    assert whole.partition("//manifests")[0] in PAGE.text
    assert [name for name, value in texts.items() if value not in PAGE.text] == []


def test_the_operators_image_is_the_one_of_its_manifests():
    try:
        overlay = tools.operator_manifests() / "overlays" / "standalone" / "kustomization.yaml"
    except Exception as error:  # no Go: nothing is built here
        pytest.skip(str(error))
    if not overlay.is_file():
        pytest.skip("the training operator is not built here")
    [image] = yaml.safe_load(overlay.read_text())["images"]
    assert image["name"] == f"{TRAINING_OPERATOR_REGISTRY}/{TRAINING_OPERATOR_IMAGE}"
    assert f"`{image['name']}:{image['newTag']}`" in PAGE.text


def test_the_example_leaves_no_name_of_a_public_registry():
    [example] = PAGE.blocks("yaml")
    stack = Stack.model_validate(yaml.safe_load(example))
    mirrored = {
        versions.DCGM_EXPORTER_IMAGE: stack.monitoring.gpu_metrics.image,
        versions.PYTHON_IMAGE: stack.alerts.relay.image,
    }
    assert stack.node_protection.image == stack.alerts.relay.image
    for public, image in mirrored.items():
        assert image == f"{MIRROR}/{public.partition('/')[2]}"
    assert stack.image_registries == (MIRROR,)
    assert {stack.training_operator.image_registry, stack.monitoring.image_registry} == {MIRROR}
    assert stack.monitoring.chart.path == f"charts/kube-prometheus-stack-{versions.MONITORING_CHART}.tgz"


def test_the_values_of_the_chart_are_taken_out_of_what_is_rendered(tmp_path):
    _, render, values, *_ = PAGE.typed("Images")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    colo = f"{sys.executable} -m infra.cli"
    for command in (render, values):
        here = command.replace("--stack lab --out rendered", f"--stack prod --out {tmp_path}/rendered")
        here = here.replace(".venv/bin/python", sys.executable).replace(".venv/bin/colo", colo)
        here = here.replace('"rendered/', f'"{tmp_path}/rendered/').replace(
            "> values", f"> {tmp_path}/values"
        )
        subprocess.run(["bash", "-ec", here], cwd=ROOT, env=environment, check=True, capture_output=True)
    assert "prometheusSpec" in yaml.safe_load((tmp_path / "values.yaml").read_text())["prometheus"]
    [look] = [line for line in PAGE.typed("Look before you deploy") if line.startswith("grep")]
    look = look.replace(" mirrored ", " rendered ")
    done = subprocess.run(
        ["bash", "-ec", look], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
    )
    assert versions.DCGM_EXPORTER_IMAGE in done.stdout
    assert "registry.example.org/ml/tensorflow" in done.stdout


def test_manifests_of_the_mirror_are_found_from_where_the_page_renders_to(tmp_path):
    [render] = [line for line in PAGE.typed("Look before you deploy") if " render " in line]
    [out] = re.findall(r"--out (\S+)", render)
    [kustomize] = [line for line in PAGE.typed("Look before you deploy") if "kustomize" in line]
    folder = kustomize.split()[-1]
    assert folder == f"{out}/operator"
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "kustomization.yaml").write_text("resources: []")
    # As deep as `.colocation/<stack>/training-operator`, where the program writes it.
    spelled = overlay_from(str(tmp_path / "mirror"), tmp_path / ".colocation" / "lab" / "training-operator")
    assert (tmp_path / folder / spelled).resolve() == (tmp_path / "mirror").resolve()
