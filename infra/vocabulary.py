"""Names that more than one place relies on: labels, taints, mount points, object names."""

from typing import Final

# --- what this project puts on objects
DOMAIN: Final = "colocation.io"
POOL_LABEL: Final = f"{DOMAIN}/pool"
"""On every node of a pool. One value a node: two pools that claim a node collide on it."""
STACK_LABEL: Final = f"{DOMAIN}/stack"
"""Beside the pool's label: pools of one name in two stacks collide on it."""
JOB_LABEL: Final = f"{DOMAIN}/job"
"""On whatever a scheduled job makes, its TFJobs and their pods among it: which job of the stack it is of."""
STARTER_LABEL: Final = f"{DOMAIN}/starts-training"
"""On pods that make TFJobs: a tenant's network rules let them reach the API server."""
QUEUED_LABEL: Final = f"{DOMAIN}/queued"
"""With the value true on a tenant's namespace: Kueue holds its TFJobs back until one fits whole."""
FIELD_MANAGER_PREFIX: Final = "colocation-pool-"
"""Followed by stack and pool: who owns a label under server-side apply."""

STACK_MANAGER_PREFIX: Final = "colocation-"
"""Followed by the stack: who owns the objects that it declares, under server-side apply."""

NODE_PROTECTION: Final = "node-protection"
"""DaemonSet, ServiceAccount, ConfigMap, roles, PodMonitor: of what gives training idle CPU time only."""

SCRIPT_MOUNT: Final = "/opt/colocation/script"
"""Where a job's script is mounted, read only."""
RUN_LABEL: Final = "batch.kubernetes.io/job-name"
"""Kubernetes puts it on the pods of a Job, and that of a scheduled run is named as its TFJob."""
STARTER_MOUNT: Final = "/opt/colocation/start"
"""Where the pod that starts a scheduled run has its program and the run's manifest, read only."""
JOB_UID: Final = 1000
"""User and group of training processes; a tenant's `restricted` level refuses root."""
ENV_PREFIX: Final = "COLOCATION_"
"""Of the variables that pods get from this project."""
CHECKPOINT_PATH_ENV: Final = f"{ENV_PREFIX}CHECKPOINT_PATH"
"""Tells the training where to keep its checkpoints."""
JOB_ENV: Final = f"{ENV_PREFIX}JOB"
"""Tells a container which job it is of."""
METRICS_PORT_ENV: Final = f"{ENV_PREFIX}METRICS_PORT"
"""Tells the training where to serve its metrics; examples/training_metrics.py reads it."""
HOME_ENV: Final = "HOME"
THREADS_ENV: Final = ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS")
"""TensorFlow and its libraries count the node's cores, not the container's share of them. Not so
TF_NUM_INTEROP_THREADS: with one such thread a cluster of TensorFlow servers waits for ever."""

# --- Kubernetes and its usual companions
GPU_RESOURCE: Final = "nvidia.com/gpu"
GPU_MODEL_LABEL: Final = "nvidia.com/gpu.product"
"""On GPU nodes, by NVIDIA's GPU feature discovery."""
NVIDIA_VISIBLE_DEVICES: Final = "NVIDIA_VISIBLE_DEVICES"
ISTIO_INJECT: Final = "sidecar.istio.io/inject"
"""Label (and, before Istio 1.14, annotation) that keeps a sidecar out of a pod."""
ISTIO_INJECTION: Final = "istio-injection"
ISTIO_REVISION: Final = "istio.io/rev"
"""Labels of a namespace by which Istio puts its sidecar into each pod."""
METRICS_PORT: Final = "metrics"
"""The name of a port that serves metrics, whatever its number."""
METRICS_PATH: Final = "/metrics"
PROMETHEUS_PREFIX: Final = "prometheus.io"
"""Annotations `scrape`, `port` and `path`: where Prometheus, so configured, finds a pod's metrics."""
SCRAPE_ANNOTATION: Final = f"{PROMETHEUS_PREFIX}/scrape"
SCRAPED_PORT_ANNOTATION: Final = f"{PROMETHEUS_PREFIX}/port"
SCRAPED_PATH_ANNOTATION: Final = f"{PROMETHEUS_PREFIX}/path"
MONITORING_API_VERSION: Final = "monitoring.coreos.com/v1"
SCRAPE_CONFIG_API_VERSION: Final = "monitoring.coreos.com/v1alpha1"
APP_NAME_LABEL: Final = "app.kubernetes.io/name"
SYSTEM_NODE_CRITICAL: Final = "system-node-critical"
"""The PriorityClass of what a node cannot do without."""
SERVICE_NAME_LABEL: Final = "kubernetes.io/service-name"
"""On EndpointSlices: whose they are."""
NAMESPACE_NAME_LABEL: Final = "kubernetes.io/metadata.name"
POD_SECURITY_PREFIX: Final = "pod-security.kubernetes.io"
MAX_USER_PRIORITY: Final = 1_000_000_000
RESERVED_PRIORITY_PREFIX: Final = "system-"
SYSTEM_PRIORITIES: Final = ("system-cluster-critical", "system-node-critical")
"""Classes that every cluster has."""

# --- the training operator, as its upstream manifests and its code name things
TRAINING_API_VERSION: Final = "kubeflow.org/v1"
TFJOB_KIND: Final = "TFJob"
TENSORFLOW_CONTAINER: Final = "tensorflow"
"""The operator looks for a container of exactly this name."""
TFJOB_PORT_NAME: Final = "tfjob-port"
TFJOB_PORT: Final = 2222
"""What peers call; the operator adds it to the training container."""
TRAINING_OPERATOR: Final = "training-operator"
"""Its Deployment, Service, ServiceAccount, ClusterRole and ClusterRoleBinding."""
OPERATOR_METRICS_PORT_NAME: Final = "monitoring-port"
"""Of its Service."""
TRAINING_OPERATOR_REGISTRY: Final = "ghcr.io"
TRAINING_OPERATOR_IMAGE: Final = "kubeflow/training-v1/training-operator"
TRAINING_OPERATOR_CERT_SECRET: Final = "training-operator-webhook-cert"
TRAINING_OPERATOR_WEBHOOKS: Final = "validator.training-operator.kubeflow.org"
TFJOB_WEBHOOK: Final = "validator.tfjob.training-operator.kubeflow.org"
TFJOB_CRD: Final = "tfjobs.kubeflow.org"
JOB_NAME_LABEL: Final = "training.kubeflow.org/job-name"
REPLICA_TYPE_LABEL: Final = "training.kubeflow.org/replica-type"
REPLICA_INDEX_LABEL: Final = "training.kubeflow.org/replica-index"
LEADER_LABELS: Final = {"training.kubeflow.org/job-role": "master"}
"""On the pod whose end ends a TFJob."""
TFJOB_POD_LABELS: Final = {"training.kubeflow.org/operator-name": "tfjob-controller"}
"""On every pod of every TFJob."""

# --- the monitoring stack, as its chart and its operator name things
MONITORING_RELEASE: Final = "kube-prometheus-stack"
"""The chart, its Helm release, and how the names of its objects begin."""
MONITORING_CRDS: Final = tuple(
    f"{kind}.monitoring.coreos.com"
    for kind in ("servicemonitors", "podmonitors", "prometheusrules", "scrapeconfigs")
)
"""The kinds that this project sends."""
ALERTMANAGER_CONFIG_SECRET: Final = "colocation-alertmanager"
"""Holds Alertmanager's configuration, and the secrets of receivers; its `spec.configSecret` names it."""
ALERT_RELAY: Final = "alert-relay"
"""Deployment, Service, ConfigMap and Secret of the program between Alertmanager and robots."""
ALERT_RELAY_MOUNT: Final = "/opt/colocation/relay"
"""Where that program and its settings are mounted, read only."""
ALERT_RELAY_SECRETS_MOUNT: Final = "/etc/colocation/relay-secrets"
"""Where the robots' URLs and keys are mounted, read only."""
GRAFANA_ADMIN_SECRET: Final = "grafana-admin"
GRAFANA_USER_KEY: Final = "admin-user"
GRAFANA_PASSWORD_KEY: Final = "admin-password"
GRAFANA_DASHBOARD_LABEL: Final = "grafana_dashboard"
"""With the value 1 on a ConfigMap: its files are dashboards."""
GRAFANA_FOLDER_ANNOTATION: Final = "grafana_folder"
"""On such a ConfigMap: the folder in Grafana."""

# --- Kueue, as its manifests and its code name things
KUEUE: Final = "kueue"
"""The chart, its Helm release, and how the names of its objects begin."""
KUEUE_NAMESPACE: Final = "kueue-system"
KUEUE_REGISTRY: Final = "registry.k8s.io"
KUEUE_IMAGE: Final = "kueue/kueue"
QUEUE_GROUP: Final = "kueue.x-k8s.io"
QUEUE_API_VERSION: Final = f"{QUEUE_GROUP}/v1beta2"
QUEUE_CRDS: Final = tuple(
    f"{kind}.{QUEUE_GROUP}" for kind in ("resourceflavors", "clusterqueues", "localqueues", "workloads")
)
"""The kinds that this project sends, and the one that says how a job stands in its queue."""
QUEUE_NAME_LABEL: Final = f"{QUEUE_GROUP}/queue-name"
"""On a TFJob: the LocalQueue of its namespace that it waits in."""
TRAINING_QUEUE: Final = "training"
"""The LocalQueue of each tenant. Not `default`, which would take in TFJobs that name no queue."""
TFJOB_FRAMEWORK: Final = "kubeflow.org/tfjob"
"""TFJobs, among the kinds of work that Kueue knows."""


def leading_pod(job: str, *, has_chief: bool) -> str:
    """The pod whose end ends a TFJob, by the operator's naming: its chief, else its first worker."""
    return f"{job}-{'chief' if has_chief else 'worker'}-0"
