"""Every version that the program needs, stated once; one constant a chart, image or manifest."""

from typing import Final

# The maintained line that serves TFJob. The sandbox builds the same version: a test compares it
# with sandbox/tools/training-operator/go.mod.
TRAINING_OPERATOR: Final = "v1.9.4"
TRAINING_OPERATOR_SOURCE: Final = (
    f"https://github.com/kubeflow/trainer//manifests/overlays/standalone?ref={TRAINING_OPERATOR}"
)
# Oldest and newest Kubernetes that it is made for: the first of its README's version matrix, and the
# last that its tests run against (.github/workflows/unittests.yaml of that tag).
TRAINING_OPERATOR_KUBERNETES: Final = ((1, 27), (1, 36))
