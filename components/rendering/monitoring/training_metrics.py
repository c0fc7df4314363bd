"""How Prometheus finds the metrics of training jobs and of the training operator."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from components.rendering.objects import Object
from infra.vocabulary import (
    JOB_LABEL,
    JOB_NAME_LABEL,
    LEADER_LABELS,
    METRICS_PATH,
    METRICS_PORT,
    OPERATOR_METRICS_PORT_NAME,
    REPLICA_INDEX_LABEL,
    REPLICA_TYPE_LABEL,
    SCRAPE_ANNOTATION,
    SCRAPED_PATH_ANNOTATION,
    SCRAPED_PORT_ANNOTATION,
    TFJOB_POD_LABELS,
    TRAINING_OPERATOR,
)


def _meta(kind: Literal["label", "annotation"], key: str) -> str:
    """What Prometheus calls a label or annotation of a pod while it relabels targets."""
    return f"__meta_kubernetes_pod_{kind}_{re.sub('[^a-zA-Z0-9_]', '_', key)}"


TRAINING_PODS = "training-pods"
"""The `job` of all metrics that come from training pods."""
# One pod speaks for a job: its numbers are the job's, and parameter servers have none.
_LEADERS = {**TFJOB_POD_LABELS, **LEADER_LABELS}
_POD = "__meta_kubernetes_pod"
_TOLD, _LAST_PORT = "true;([1-9][0-9]{0,4})", 65535
_ANNOTATED = [_meta("annotation", SCRAPE_ANNOTATION), _meta("annotation", SCRAPED_PORT_ANNOTATION)]


def scraped_port(annotations: Mapping[str, str]) -> int | None:
    """The port that a pod's annotations tell Prometheus of, if they do."""
    told = f"{annotations.get(SCRAPE_ANNOTATION)};{annotations.get(SCRAPED_PORT_ANNOTATION)}"
    found = re.fullmatch(_TOLD, told)
    return int(found[1]) if found and int(found[1]) <= _LAST_PORT else None


def training_pods_monitor(namespaces: Sequence[str]) -> Object:
    """A PodMonitor's `spec`: pods with a port called metrics, but for those that annotations tell of."""
    return {
        "namespaceSelector": {"matchNames": list(namespaces)},
        "selector": {"matchLabels": _LEADERS},
        "podMetricsEndpoints": [
            {
                "port": METRICS_PORT,
                "path": METRICS_PATH,
                "relabelings": [
                    _annotated("drop"),
                    *_targets(),
                    # What the operator adds of its own, and a ScrapeConfig does not have.
                    {"action": "labeldrop", "regex": "container|endpoint"},
                ],
            }
        ],
    }


def annotated_pods_scrape(namespaces: Sequence[str]) -> Object:
    """A ScrapeConfig's `spec`: pods that annotations tell of, with the labels of the others.

    Prometheus sees such a pod once for each of its ports; with the annotated port in the place of each,
    the targets are one.
    """
    return {
        "jobName": TRAINING_PODS,
        "metricsPath": METRICS_PATH,
        "kubernetesSDConfigs": [
            {
                "role": "Pod",
                "namespaces": {"names": list(namespaces)},
                "selectors": [
                    {"role": "Pod", "label": ",".join(f"{key}={value}" for key, value in _LEADERS.items())}
                ],
            }
        ],
        "relabelings": [
            _annotated("keep"),
            {"action": "keep", "sourceLabels": [f"{_POD}_phase"], "regex": "Running"},
            {
                "sourceLabels": ["__address__", _meta("annotation", SCRAPED_PORT_ANNOTATION)],
                "regex": r"(.+?)(?::\d+)?;(\d+)",
                "replacement": "$1:$2",
                "targetLabel": "__address__",
            },
            *_targets(),
        ],
    }


def training_operator_monitor(namespace: str) -> Object:
    """A ServiceMonitor's `spec`; the `job` is the Service's name."""
    return {
        "namespaceSelector": {"matchNames": [namespace]},
        "selector": {"matchLabels": {"app": TRAINING_OPERATOR}},
        "endpoints": [{"port": OPERATOR_METRICS_PORT_NAME, "path": METRICS_PATH}],
    }


def _annotated(action: str) -> Object:
    """Keep or drop: each pod is scraped in one way or the other."""
    return {"action": action, "sourceLabels": _ANNOTATED, "separator": ";", "regex": _TOLD}


def _targets() -> list[Object]:
    """The labels of a training pod's metrics, and the path if it says one."""
    run, of_schedule = _meta("label", JOB_NAME_LABEL), _meta("label", JOB_LABEL)
    copied = {
        "namespace": "__meta_kubernetes_namespace",
        "pod": f"{_POD}_name",
        "node": f"{_POD}_node_name",
        "tfjob": run,
        "replica_type": _meta("label", REPLICA_TYPE_LABEL),
        "replica_index": _meta("label", REPLICA_INDEX_LABEL),
    }
    return [
        {"targetLabel": "job", "replacement": TRAINING_PODS},
        *({"sourceLabels": [source], "targetLabel": label} for label, source in copied.items()),
        # The job of the stack: what a run of a schedule belongs to, else the TFJob itself.
        {
            "sourceLabels": [of_schedule, run],
            "separator": ";",
            "regex": "(.+);.*|;(.+)",
            "replacement": "$1$2",
            "targetLabel": "training_job",
        },
        {
            "sourceLabels": [_meta("annotation", SCRAPED_PATH_ANNOTATION)],
            "regex": "(.+)",
            "targetLabel": "__metrics_path__",
        },
    ]
