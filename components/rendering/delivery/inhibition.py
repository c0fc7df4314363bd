"""Which alerts keep silent while another says it all."""

from collections.abc import Mapping, Sequence
from typing import Any

from components.rendering.delivery.labels import JOB

NODE_DOWN = ("NodeNotReady", "KubeNodeNotReady", "KubeNodeUnreachable")
"""Of this project and of kube-prometheus-stack. A node that is away takes its pods with it."""
JOB_FAILED = ("TFJobFailed",)
RESTARTS = ("PodRestarting", "TFJobRestartLoop")
"""Of pods that start again and again."""
_SAME_THING = (
    "alertname",
    "namespace",
    JOB,
    "pod",
    "container",
    "node",
    "instance",
    "device",
    "mountpoint",
    "gpu",
    "persistentvolumeclaim",
)


def inhibit_rules() -> Sequence[Mapping[str, Any]]:
    """A label that neither of two alerts has counts as equal; one that only one has does not."""
    return [
        {
            "source_matchers": [_any_of("alertname", NODE_DOWN), 'node!=""'],
            "target_matchers": ['pod!=""'],
            "equal": ["node"],
        },
        {
            "source_matchers": [_any_of("alertname", JOB_FAILED), f'{JOB}!=""'],
            "target_matchers": [_any_of("alertname", RESTARTS)],
            "equal": ["namespace", JOB],
        },
        {
            "source_matchers": ['severity="critical"'],
            "target_matchers": ['severity=~"warning|info"'],
            "equal": list(_SAME_THING),
        },
        {  # of kube-prometheus-stack: infos are told only beside a warning of their namespace
            "source_matchers": ['alertname="InfoInhibitor"'],
            "target_matchers": ['severity="info"'],
            "equal": ["namespace"],
        },
    ]


def _any_of(label: str, values: Sequence[str]) -> str:
    return f'{label}=~"{"|".join(values)}"'
