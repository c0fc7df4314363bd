"""Values of Prometheus, Alertmanager and Grafana."""

from typing import Any

from infra.models.monitoring import AlertmanagerSpec, ClaimSpec, GrafanaSpec, PrometheusSpec
from infra.models.quantities import amount
from infra.models.resources import Compute
from infra.vocabulary import (
    ALERTMANAGER_CONFIG_SECRET,
    GRAFANA_ADMIN_SECRET,
    GRAFANA_DASHBOARD_LABEL,
    GRAFANA_FOLDER_ANNOTATION,
    GRAFANA_PASSWORD_KEY,
    GRAFANA_USER_KEY,
)

_SELECTED = ("serviceMonitor", "podMonitor", "rule", "probe", "scrapeConfig")
_MEBI = 2**20


def selects_everything() -> dict[str, bool]:
    """All monitors and rules of the cluster, not only those with the label of the release."""
    return {f"{kind}SelectorNilUsesHelmValues": False for kind in _SELECTED}


def prometheus_spec(spec: PrometheusSpec) -> dict[str, Any]:
    """`prometheus.prometheusSpec`."""
    kept = retention_size(spec)
    return {
        **selects_everything(),
        "replicas": spec.replicas,
        "scrapeInterval": spec.scrape_interval,
        "retention": spec.retention,
        **({"retentionSize": kept} if kept else {}),
        "resources": resources(spec.resources),
        **({"storageSpec": _claim_template(spec.storage)} if spec.storage else {}),
        "externalLabels": {name: _literal(value) for name, value in spec.external_labels.items()},
    }


def retention_size(spec: PrometheusSpec) -> str | None:
    """As Prometheus counts: MB are 1024 * 1024 bytes. The volume also holds what is being compacted."""
    if spec.retention_size is not None:
        bytes_kept = amount(spec.retention_size)
    elif spec.storage is not None:
        bytes_kept = amount(spec.storage.size) * 4 / 5
    else:
        return None
    return f"{int(bytes_kept) // _MEBI}MB"


def alertmanager_spec(spec: AlertmanagerSpec) -> dict[str, Any]:
    """`alertmanager.alertmanagerSpec`; its configuration is a Secret of this project."""
    return {
        "useExistingSecret": True,
        "configSecret": ALERTMANAGER_CONFIG_SECRET,
        "replicas": spec.replicas,
        "resources": resources(spec.resources),
        **({"storage": _claim_template(spec.storage)} if spec.storage else {}),
    }


def grafana_values(spec: GrafanaSpec) -> dict[str, Any]:
    """`grafana`: a password of ours, and dashboards from ConfigMaps of every namespace."""
    return {
        "enabled": True,
        "admin": {
            "existingSecret": GRAFANA_ADMIN_SECRET,
            "userKey": GRAFANA_USER_KEY,
            "passwordKey": GRAFANA_PASSWORD_KEY,
        },
        "sidecar": {"dashboards": dashboard_sidecar()},
        "defaultDashboardsTimezone": spec.time_zone,
        # Of dashboards that name none, and of ad-hoc queries.
        "grafana.ini": {"date_formats": {"default_timezone": spec.time_zone}},
        "testFramework": {"enabled": False},
        "resources": resources(spec.resources),
        **(_kept_claim(spec.storage) if spec.storage else {}),
    }


def dashboard_sidecar() -> dict[str, Any]:
    """`sidecar.dashboards` of Grafana's chart."""
    return {
        "enabled": True,
        "label": GRAFANA_DASHBOARD_LABEL,
        "labelValue": "1",
        "searchNamespace": "ALL",
        "folderAnnotation": GRAFANA_FOLDER_ANNOTATION,
        "provider": {"foldersFromFilesStructure": True},
    }


def resources(compute: Compute) -> dict[str, dict[str, str]]:
    """A container's `resources`."""
    both = {"requests": compute.requests.as_kubernetes(), "limits": compute.limits.as_kubernetes()}
    return {kind: amounts for kind, amounts in both.items() if amounts}


def _claim_template(claim: ClaimSpec) -> dict[str, Any]:
    of_class = {"storageClassName": claim.storage_class} if claim.storage_class else {}
    spec = {**of_class, "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": claim.size}}}
    return {"volumeClaimTemplate": {"spec": spec}}


def _kept_claim(claim: ClaimSpec) -> dict[str, Any]:
    """A claim of the chart itself, which Helm would delete with the release."""
    of_class = {"storageClassName": claim.storage_class} if claim.storage_class else {}
    kept = {"annotations": {"helm.sh/resource-policy": "keep"}}
    return {
        "persistence": {"enabled": True, "size": claim.size, **of_class, **kept},
        # Two pods cannot both have the volume.
        "deploymentStrategy": {"type": "Recreate"},
    }


def _literal(value: str) -> str:
    """The chart takes external labels for a template."""
    return value.replace("{{", "{{`{{`}}")
