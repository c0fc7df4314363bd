"""Situations in which alerts fire, or must not, and what promtool is told of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from components.rendering.alerts import Alert

TEAMS = {"offline": "training", "online": "platform"}


@dataclass(frozen=True, kw_only=True)
class Case:
    """Series in promtool's notation, one sample a minute."""

    fires: Mapping[str, str]
    at: str
    """When it is looked at, in both situations."""
    labels: Mapping[str, str]
    """Of the alert, beside severity and team."""
    value: str = ""
    """As its texts show it."""
    quiet: Mapping[str, str] = field(default_factory=dict)
    """What is otherwise in the situation in which it must not fire; None takes a series away."""


def promtool_test(alert: Alert, case: Case, language: str) -> dict:
    """A test file for one alert."""
    team = TEAMS[case.labels["workload"]] if "{{" in alert.team else alert.team
    expected = {
        "exp_labels": {**case.labels, "severity": alert.severity, "team": team},
        "exp_annotations": {
            "summary": shown(alert.summary.of(language), case),
            "description": shown(alert.description.of(language), case),
            "runbook_url": f"docs/runbooks/{alert.name}.md",
        },
    }
    quiet = {series: values for series, values in {**case.fires, **case.quiet}.items() if values is not None}
    return {
        "rule_files": ["node.yaml", "pod.yaml", "job.yaml"],
        "evaluation_interval": "1m",
        "tests": [
            _situation(alert.name, case.fires, case.at, [expected]),
            _situation(alert.name, quiet, case.at, []),
        ],
    }


def _situation(name: str, series: Mapping[str, str], at: str, alerts: list[dict]) -> dict:
    return {
        "interval": "1m",
        "input_series": [{"series": each, "values": values} for each, values in series.items()],
        "alert_rule_test": [{"eval_time": at, "alertname": name, "exp_alerts": alerts}],
    }


def shown(text: str, case: Case) -> str:
    """A text with the labels and the value of a case in place of its templates."""
    text = re.sub(
        r"\{\{ if \$labels\.(\w+) \}\}(.*?)\{\{ end \}\}",
        lambda found: found[2] if found[1] in case.labels else "",
        text,
    )
    text = re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda found: case.labels[found[1]], text)
    return re.sub(r"\{\{ [^{}]*\$value[^{}]*\}\}", lambda _: case.value, text)


def pod_info(
    namespace: str, pod: str, owner: str, priority_class: str, node: str = "n1", instance: str = "ksm-1"
) -> str:
    kind, _, name = owner.partition("/")
    return (
        f'kube_pod_info{{instance="{instance}", namespace="{namespace}", pod="{pod}", node="{node}",'
        f' created_by_kind="{kind}", created_by_name="{name}",'
        f' priority_class="{priority_class}", uid="{pod}"}}'
    )


TRAINING_POD = pod_info("vision", "mnist-worker-0", "TFJob/mnist", "offline-low")
SERVICE_POD = pod_info("shop", "web-1", "ReplicaSet/web", "online-high")
EXPORTER_POD = pod_info("monitoring", "node-exporter-1", "DaemonSet/node-exporter", "system-node-critical")
TRAINING = 'namespace="vision", pod="mnist-worker-0"'
SERVICE = 'namespace="shop", pod="web-1"'
OF_TRAINING = {
    "namespace": "vision",
    "pod": "mnist-worker-0",
    "node": "n1",
    "tfjob": "mnist",
    "workload": "offline",
}
OF_SERVICE = {"namespace": "shop", "pod": "web-1", "node": "n1", "workload": "online"}
ALWAYS = "1x600"
NEVER = "0x600"
