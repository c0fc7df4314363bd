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

MONITORING_CHART: Final = "88.5.3"
MONITORING_CHART_REPOSITORY: Final = "https://prometheus-community.github.io/helm-charts"
# Oldest: kubeVersion of its Chart.yaml; the operator's CRDs hold rules that older API servers do not know.
# Newest: the client libraries of the operator in it, 0.36.
MONITORING_CHART_KUBERNETES: Final = ((1, 25), (1, 36))
# The operator in it, which the CRDs of the cluster should not be older than: Helm never upgrades them.
PROMETHEUS_OPERATOR: Final = (0, 93, 1)
# DCGM's version, the exporter's, and the flavour without a shell.
DCGM_EXPORTER_IMAGE: Final = "nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3-4.8.2-distroless"
# Runs the alert relay, which needs nothing but Python's standard library and the authorities it trusts.
PYTHON_IMAGE: Final = "docker.io/library/python:3.13.7-slim-bookworm"

# The sandbox builds the same version: a test compares it with sandbox/tools/kueue/go.mod.
KUEUE: Final = "0.17.0"
KUEUE_CHART_SOURCE: Final = "oci://registry.k8s.io/kueue/charts/kueue"
# The first that serves vocabulary.QUEUE_API_VERSION, in which queues are sent.
KUEUE_OLDEST: Final = (0, 15)
# Oldest: its page on installation. Newest: its client libraries, 0.35, which its tests run against.
KUEUE_KUBERNETES: Final = ((1, 29), (1, 35))


def dotted(version: tuple[int, ...]) -> str:
    """A version as people write it."""
    return ".".join(map(str, version))
