"""Versions are stated once; what the sandbox builds is what the program installs."""

import re

from infra import versions
from infra.places import ROOT


def test_the_sandbox_builds_the_operator_that_the_program_installs():
    text = (ROOT / "sandbox/tools/training-operator/go.mod").read_text("utf-8")
    found = re.search(r"github.com/kubeflow/training-operator (v\S+)", text)
    assert found is not None
    assert found[1] == versions.TRAINING_OPERATOR


def test_the_public_manifests_are_pinned_to_that_version():
    assert versions.TRAINING_OPERATOR_SOURCE.endswith(f"?ref={versions.TRAINING_OPERATOR}")
