"""Every version that the program needs, stated once; one constant a chart, image or manifest."""

from typing import Final

# The maintained line that serves TFJob. The sandbox builds the same version: a test compares it
# with sandbox/tools/training-operator/go.mod.
TRAINING_OPERATOR: Final = "v1.9.4"
TRAINING_OPERATOR_SOURCE: Final = (
    f"https://github.com/kubeflow/trainer//manifests/overlays/standalone?ref={TRAINING_OPERATOR}"
)
