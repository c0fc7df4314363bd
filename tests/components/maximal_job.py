"""One job that uses everything that a job may say at once, beyond the examples' BASE."""

from tests.components.job_examples import Change

MAXIMAL: Change = {
    "pool": "gpu",
    "script": "train.py",
    "args": ["--fast"],
    "env": {"EPOCHS": "3", "HOME": "/scratch"},
    "chief": {"resources": {"requests": {"cpu": 1, "memory": "2Gi"}, "limits": {"cpu": 2, "memory": "4Gi"}}},
    "worker": {
        "replicas": 3,
        "restart_policy": "ExitCode",
        "image": "registry.example/mnist:1.4-gpu",
        "args": ["--gpu"],
        "env": {"EPOCHS": "4"},
        "resources": {"limits": {"cpu": 2, "memory": "4Gi", "ephemeral_storage": "10Gi"}, "gpus": 2},
    },
    "ps": {"command": ["python3", "-m", "serve"], "restart_policy": "Always"},
    "evaluator": {"restart_policy": "Never"},
    "env_value_from": {
        "TOKEN": {"secret": "s3", "key": "token"},
        "MODE": {"config_map": "modes", "key": "mode", "optional": True},
        "NODE": {"field": "spec.nodeName"},
        "MEMORY": {"resource": "limits.memory"},
    },
    "env_from": [{"secret": "s3", "prefix": "S3_"}, {"config_map": "modes", "optional": True}],
    "volumes": [
        {"claim": "data", "mount_path": "/data"},
        {"claim": "data", "mount_path": "/models", "sub_path": "models", "read_only": True},
        {"existing_claim": "team.data", "mount_path": "/team"},
        {"config_map": "team.data", "mount_path": "/etc/team"},
        {"secret": "team-data", "mount_path": "/etc/s3", "read_only": True},
        {"empty_dir": {"in_memory": True, "size_limit": "1Gi"}, "mount_path": "/dev/shm"},
        {"empty_dir": {}, "mount_path": "/scratch"},
    ],
    "checkpoint_path": "/data/mnist",
    "termination_grace_period_seconds": 120,
    "ports": [{"name": "debug", "port": 5678}],
    "metrics_port": 9100,
    "init_containers": [
        {"name": "fetch", "image": "registry.example/fetch:1", "command": ["fetch"], "resources": {"gpus": 1}}
    ],
    "sidecars": [
        {
            "name": "ship",
            "image": "registry.example/ship:1",
            "args": ["--all"],
            "env": {"TO": "s3"},
            "env_value_from": {"IP": {"field": "status.podIP"}},
            "ports": [{"name": "health", "port": 8080}],
            "resources": {"requests": {"cpu": "50m"}, "limits": {"memory": "64Mi"}},
        }
    ],
    "gpu_model": "NVIDIA-A100-SXM4-80GB",
    "node_selector": {"disk": "ssd"},
    "tolerations": [
        {"key": "spot", "operator": "Exists", "effect": "NoExecute", "toleration_seconds": 60},
        {"key": "team", "value": "ranking"},
    ],
    "affinity": {
        "node_affinity": [
            {"key": "zone", "values": ["a", "b"]},
            {"key": "cores", "operator": "Gt", "values": ["8"]},
            {"key": "spot", "operator": "DoesNotExist", "weight": 10},
        ],
        "pod_affinity": [{"labels": {"app": "cache"}, "weight": 5}],
        "pod_anti_affinity": [{"labels": {"app": "online"}}, {"labels": {"app": "batch"}, "weight": 1}],
    },
    "topology_spread": [{}, {"topology_key": "topology.kubernetes.io/zone", "max_skew": 2}],
    "service_account": "trainer",
    "image_pull_secrets": ["registry"],
    "image_pull_policy": "IfNotPresent",
    "security": {"run_as_user": 2000, "run_as_group": 2000, "read_only_root_filesystem": True},
    "labels": {"team": "ranking"},
    "annotations": {"example.com/wiki": "https://wiki.example/mnist"},
    "run_policy": {
        "clean_pod_policy": "All",
        "active_deadline_seconds": 3600,
        "ttl_seconds_after_finished": 60,
        "recreate": True,
        "scheduling_policy": {
            "min_available": 2,
            "queue": "nightly",
            "min_resources": {"cpu": 4},
            "priority_class": "offline-low",
            "schedule_timeout_seconds": 60,
        },
    },
    "success_policy": "AllWorkers",
    "enable_dynamic_worker": True,
    "pod_overrides": {
        "dnsConfig": {"options": [{"name": "ndots", "value": "2"}]},
        "containers": [{"name": "tensorflow", "workingDir": "/scratch"}],
        "volumes": [{"name": "extra", "emptyDir": {}}],
    },
}
