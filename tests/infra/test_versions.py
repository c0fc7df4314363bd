"""Versions are stated once; what the sandbox builds is what the program installs."""

import re

from infra import versions
from infra.places import ROOT
from infra.plan import plan
from infra.vocabulary import KUEUE_IMAGE, KUEUE_REGISTRY
from sandbox import gomod, images, programs


def test_the_sandbox_builds_the_operator_that_the_program_installs():
    text = (ROOT / "sandbox/tools/training-operator/go.mod").read_text("utf-8")
    found = re.search(r"github.com/kubeflow/training-operator (v\S+)", text)
    assert found is not None
    assert found[1] == versions.TRAINING_OPERATOR


def test_the_sandbox_builds_the_kueue_that_the_program_installs():
    assert gomod.version("kueue", programs.KUEUE) == f"v{versions.KUEUE}"
    assert images.reference("kueue") == f"{KUEUE_REGISTRY}/{KUEUE_IMAGE}:v{versions.KUEUE}"


def test_the_public_manifests_are_pinned_to_that_version():
    assert versions.TRAINING_OPERATOR_SOURCE.endswith(f"?ref={versions.TRAINING_OPERATOR}")


def test_the_dev_stack_trains_with_the_image_that_the_sandbox_makes():
    jobs = plan(ROOT / "stacks" / "dev.yaml").stack.jobs
    assert {job.image for job in jobs} == {images.reference("tensorflow")}
