"""The commands that open the servers of the stack on one's own machine."""

from collections.abc import Mapping

from infra.models import MonitoringSpec
from infra.vocabulary import MONITORING_RELEASE

_SERVERS = {
    # server: (port here, port of its Service), as the chart has them
    "prometheus": (9090, 9090),
    "alertmanager": (9093, 9093),
    "grafana": (3000, 80),
}


def commands(spec: MonitoringSpec) -> Mapping[str, str]:
    """By server; empty where the stack is somebody else's, whose names are not known."""
    if not spec.install:
        return {}
    shown = {
        server: ports for server, ports in _SERVERS.items() if server != "grafana" or spec.grafana.install
    }
    return {server: _forward(spec.namespace, server, *ports) for server, ports in shown.items()}


def _forward(namespace: str, server: str, here: int, there: int) -> str:
    return f"kubectl port-forward -n {namespace} svc/{MONITORING_RELEASE}-{server} {here}:{there}"
