"""The values of the chart, decided without Helm."""

import re

import pytest

from components.rendering.charts import Published, chart_arguments
from components.rendering.monitoring.exporters import cadvisor_relabelings
from components.rendering.monitoring.values import chart_values
from infra.models import MonitoringSpec
from infra.models.charts import ChartSpec
from infra.versions import MONITORING_CHART, MONITORING_CHART_REPOSITORY


def values(**spec):
    return chart_values(MonitoringSpec.model_validate(spec))


def prometheus(**spec):
    return values(prometheus=spec)["prometheus"]["prometheusSpec"]


@pytest.mark.parametrize("kind", ["serviceMonitor", "podMonitor", "probe", "scrapeConfig"])
def test_f1_monitors_are_selected_whatever_their_labels(kind):
    assert prometheus()[f"{kind}SelectorNilUsesHelmValues"] is False


def test_f4_rules_are_selected_whatever_their_labels():
    assert prometheus()["ruleSelectorNilUsesHelmValues"] is False


@pytest.mark.parametrize(
    ("spec", "size"),
    [
        ({}, None),
        ({"storage": {"size": "50Gi"}}, "40960MB"),
        ({"storage": {"size": "50Gi"}, "retention_size": "30Gi"}, "30720MB"),
        ({"retention_size": "1.5Gi"}, "1536MB"),
        ({"storage": {"size": "100M"}}, "76MB"),
    ],
)
def test_samples_go_before_the_volume_is_full(spec, size):
    assert prometheus(**spec).get("retentionSize") == size


def test_a_claim_is_asked_for_only_where_the_stack_says_so():
    claims = {"prometheus": "storageSpec", "alertmanager": "storage"}
    for server, key in claims.items():
        plain = values()[server][f"{server}Spec"]
        assert key not in plain
        kept = values(**{server: {"storage": {"size": "5Gi", "storage_class": "fast"}}})
        claim = kept[server][f"{server}Spec"][key]["volumeClaimTemplate"]["spec"]
        assert (claim["storageClassName"], claim["resources"]["requests"]["storage"]) == ("fast", "5Gi")


def test_no_class_is_named_where_the_clusters_default_is_meant():
    claim = prometheus(storage={"size": "5Gi"})["storageSpec"]["volumeClaimTemplate"]["spec"]
    assert "storageClassName" not in claim


def test_what_people_saved_in_grafana_outlives_the_release_and_one_pod_has_it():
    grafana = values(grafana={"storage": {"size": "1Gi"}})["grafana"]
    assert grafana["persistence"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    assert grafana["deploymentStrategy"] == {"type": "Recreate"}
    assert "persistence" not in values()["grafana"]


def test_every_server_and_every_exporter_has_the_priority():
    sent = values(priority="online-high")
    for part in ("prometheusOperator", "grafana", "kube-state-metrics", "prometheus-node-exporter"):
        assert sent[part]["priorityClassName"] == "online-high"
    for server in ("prometheus", "alertmanager"):
        assert sent[server][f"{server}Spec"]["priorityClassName"] == "online-high"
    assert "priorityClassName" not in str(values())


def test_external_labels_are_no_templates():
    assert prometheus(external_labels={"cluster": "{{ x }}"})["externalLabels"] == {
        "cluster": "{{`{{`}} x }}"
    }


def test_alertmanagers_configuration_is_this_projects_secret():
    spec = values()["alertmanager"]["alertmanagerSpec"]
    assert (spec["useExistingSecret"], spec["configSecret"]) == (True, "colocation-alertmanager")


def test_e3_grafanas_password_is_never_the_charts():
    for spec in ({}, {"grafana": {"storage": {"size": "1Gi"}}}):
        grafana = values(**spec)["grafana"]
        assert grafana["admin"]["existingSecret"] == "grafana-admin"
        assert "adminPassword" not in str(grafana)


def test_dashboards_of_every_namespace_are_found_and_put_into_folders():
    sidecar = values()["grafana"]["sidecar"]["dashboards"]
    assert sidecar["searchNamespace"] == "ALL"
    assert sidecar["folderAnnotation"] == "grafana_folder"
    assert sidecar["provider"]["foldersFromFilesStructure"] is True


def test_grafana_shows_time_where_the_stack_is():
    grafana = values(grafana={"time_zone": "Asia/Shanghai"})["grafana"]
    assert grafana["defaultDashboardsTimezone"] == "Asia/Shanghai"
    assert grafana["grafana.ini"]["date_formats"]["default_timezone"] == "Asia/Shanghai"


def test_grafana_may_be_left_out():
    assert values(grafana={"install": False})["grafana"] == {"enabled": False}


def test_a_control_plane_that_a_provider_runs_is_neither_scraped_nor_missed():
    managed = values(managed_control_plane=True)
    for part in ("kubeEtcd", "kubeScheduler", "kubeControllerManager", "kubeProxy"):
        assert managed[part] == {"enabled": False}
        assert part not in values()
    assert set(managed["defaultRules"]["rules"].values()) == {False}
    assert values()["defaultRules"]["rules"] == {}


@pytest.mark.parametrize(
    "alert",
    ["KubeCPUOvercommit", "KubeMemoryQuotaOvercommit", "KubeQuotaFullyUsed", "KubePodNotReady"],
)
def test_alerts_that_colocation_makes_fire_are_off(alert):
    assert values()["defaultRules"]["disabled"][alert] is True


def test_a_quota_that_was_lowered_below_what_is_used_is_still_told():
    assert "KubeQuotaExceeded" not in values()["defaultRules"]["disabled"]


def dropped(metric, **labels):
    """Whether a series of cAdvisor's is dropped, as Prometheus relabels: whole, joined by ';'."""
    series = {"__name__": metric, "id": "/kubepods/x", "pod": "web-0", **labels}
    rules = cadvisor_relabelings()
    return any(
        re.fullmatch(rule["regex"], ";".join(series.get(label, "") for label in rule["sourceLabels"]))
        for rule in rules
    )


def test_f11_what_throttling_costs_is_kept():
    assert not dropped("container_cpu_cfs_throttled_seconds_total")
    assert not dropped("container_cpu_usage_seconds_total")
    assert dropped("container_cpu_load_average_10s")
    assert dropped("container_memory_swap")
    assert dropped("container_network_receive_bytes_total", interface="cali1")
    assert dropped("container_cpu_usage_seconds_total", pod="")


def test_node_exporter_is_on_nodes_with_any_taint():
    assert values()["prometheus-node-exporter"]["tolerations"] == [{"operator": "Exists"}]


def test_training_pods_and_tfjobs_are_seen():
    state = values()["kube-state-metrics"]
    assert any("training.kubeflow.org/job-name" in allowed for allowed in state["metricLabelsAllowlist"])
    assert state["customResourceState"]["enabled"] is True
    assert state["rbac"]["extraRules"][0]["resources"] == ["tfjobs"]


def test_the_service_of_the_kubelets_goes_with_the_stack():
    sent = values(namespace="obs")
    assert sent["prometheusOperator"]["kubeletService"]["namespace"] == "obs"
    assert sent["kubelet"]["namespace"] == "obs"


def test_images_come_from_the_mirror():
    assert values(image_registry="mirror.example/hub")["global"] == {"imageRegistry": "mirror.example/hub"}
    assert "global" not in values()


@pytest.mark.parametrize(
    ("chart", "arguments"),
    [
        (
            {},
            {
                "chart": "kube-prometheus-stack",
                "version": MONITORING_CHART,
                "repository_opts": {"repo": MONITORING_CHART_REPOSITORY},
            },
        ),
        (
            {"source": "https://mirror.example/charts", "version": "88.5.4"},
            {
                "chart": "kube-prometheus-stack",
                "version": "88.5.4",
                "repository_opts": {"repo": "https://mirror.example/charts"},
            },
        ),
        (
            {"source": "oci://mirror.example/charts/kube-prometheus-stack"},
            {"chart": "oci://mirror.example/charts/kube-prometheus-stack", "version": MONITORING_CHART},
        ),
        ({"source": "charts/kps"}, {"chart": "../charts/kps"}),
        ({"source": "charts/kps-88.5.3.tgz"}, {"chart": "../charts/kps-88.5.3.tgz"}),
    ],
    ids=["public", "repository", "oci", "directory", "archive"],
)
def test_the_chart_comes_from_where_the_stack_says(chart, arguments):
    published = Published(
        name="kube-prometheus-stack", version=MONITORING_CHART, source=MONITORING_CHART_REPOSITORY
    )
    assert chart_arguments(ChartSpec.model_validate(chart), published, "..") == arguments
