"""Every field of a job by example: two jobs that differ in it alone.

A job is written as what it says beyond BASE.
"""

from typing import Any

from components.rendering.tfjob import tfjob_manifest
from infra.models import JobSpec, PoolSpec

Change = dict[str, Any]

BASE: Change = {
    "name": "mnist",
    "tenant": "vision",
    "priority": "offline-low",
    "image": "registry.example/mnist:1.4",
    "worker": {},
}
POOL = PoolSpec.model_validate(
    {
        "name": "gpu",
        "nodes": ["n1"],
        "taints": [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}],
    }
)


def _worker(**said: Any) -> Change:
    return {"worker": said}


def _asked(**said: Any) -> Change:
    return _worker(resources=said)


def _variable(**source: Any) -> Change:
    return {"env_value_from": {"X": source}}


def _variables(**source: Any) -> Change:
    return {"env_from": [source]}


def _port(**said: Any) -> Change:
    return {"ports": [{"name": "debug", "port": 5678} | said]}


def _beside(**said: Any) -> Change:
    return {"sidecars": [{"name": "ship", "image": "registry.example/ship:1"} | said]}


def _volume(**said: Any) -> Change:
    return {"volumes": [{"mount_path": "/data"} | said]}


def _toleration(**said: Any) -> Change:
    return {"tolerations": [{"key": "spot"} | said]}


def _node(**said: Any) -> Change:
    return {"affinity": {"node_affinity": [{"key": "disk", "values": ["ssd"]} | said]}}


def _peers(**said: Any) -> Change:
    return {"affinity": {"pod_anti_affinity": [{"labels": {"app": "online"}} | said]}}


def _spread(**said: Any) -> Change:
    return {"topology_spread": [said]}


def _run(**said: Any) -> Change:
    return {"run_policy": said}


def _queued(**said: Any) -> Change:
    return _run(scheduling_policy=said)


def _scheduled(**said: Any) -> Change:
    return {"schedule": {"cron": "0 2 * * *"} | said}


GPU = _asked(gpus=1)
NOTHING: Change = {}

EXAMPLES: dict[str, tuple[Change, Change]] = {
    "JobSpec.name": (NOTHING, {"name": "digits"}),
    "JobSpec.tenant": (NOTHING, {"tenant": "speech"}),
    "JobSpec.priority": (NOTHING, {"priority": "online-high"}),
    "JobSpec.pool": (NOTHING, {"pool": "gpu"}),
    "JobSpec.image": (NOTHING, {"image": "registry.example/mnist:1.5"}),
    "JobSpec.command": (NOTHING, {"command": ["python3"]}),
    "JobSpec.args": (NOTHING, {"args": ["--fast"]}),
    "JobSpec.script": (NOTHING, {"script": "train.py"}),
    "JobSpec.env": (NOTHING, {"env": {"EPOCHS": "3"}}),
    "JobSpec.chief": (NOTHING, {"chief": {}}),
    "JobSpec.worker": ({"chief": {}, "worker": None}, {"chief": {}, "worker": {}}),
    "JobSpec.ps": (NOTHING, {"ps": {}}),
    "JobSpec.evaluator": (NOTHING, {"evaluator": {}}),
    "JobSpec.env_value_from": (NOTHING, _variable(field="metadata.name")),
    "JobSpec.env_from": (NOTHING, _variables(secret="s3")),
    "JobSpec.volumes": (NOTHING, _volume(claim="data")),
    "JobSpec.checkpoint_path": (
        _volume(claim="data"),
        {**_volume(claim="data"), "checkpoint_path": "/data/mnist"},
    ),
    "JobSpec.termination_grace_period_seconds": (NOTHING, {"termination_grace_period_seconds": 120}),
    "JobSpec.ports": (NOTHING, _port()),
    "JobSpec.metrics_port": (NOTHING, {"metrics_port": 9100}),
    "JobSpec.init_containers": (
        NOTHING,
        {"init_containers": [{"name": "fetch", "image": "registry.example/fetch:1"}]},
    ),
    "JobSpec.sidecars": (NOTHING, _beside()),
    "JobSpec.gpu_model": (GPU, {**GPU, "gpu_model": "NVIDIA-A100-SXM4-80GB"}),
    "JobSpec.node_selector": (NOTHING, {"node_selector": {"disk": "ssd"}}),
    "JobSpec.tolerations": (NOTHING, _toleration(operator="Exists")),
    "JobSpec.topology_spread": (NOTHING, _spread()),
    "JobSpec.service_account": (NOTHING, {"service_account": "trainer"}),
    "JobSpec.image_pull_secrets": (NOTHING, {"image_pull_secrets": ["registry"]}),
    "JobSpec.image_pull_policy": (NOTHING, {"image_pull_policy": "IfNotPresent"}),
    "JobSpec.labels": (NOTHING, {"labels": {"team": "ranking"}}),
    "JobSpec.annotations": (NOTHING, {"annotations": {"example.com/wiki": "https://wiki.example/m"}}),
    "JobSpec.success_policy": (NOTHING, {"success_policy": "AllWorkers"}),
    "JobSpec.enable_dynamic_worker": (
        {"worker": {"replicas": 2}},
        {"worker": {"replicas": 2}, "enable_dynamic_worker": True},
    ),
    "JobSpec.schedule": (NOTHING, _scheduled()),
    "JobSpec.pod_overrides": (NOTHING, {"pod_overrides": {"dnsPolicy": "Default"}}),
    "RoleSpec.replicas": (NOTHING, _worker(replicas=2)),
    "RoleSpec.restart_policy": (NOTHING, _worker(restart_policy="ExitCode")),
    "RoleSpec.image": (NOTHING, _worker(image="registry.example/other:1")),
    "RoleSpec.command": (NOTHING, _worker(command=["python3"])),
    "RoleSpec.args": (NOTHING, _worker(args=["--fast"])),
    "RoleSpec.pod_overrides": (NOTHING, _worker(pod_overrides={"dnsPolicy": "Default"})),
    "RoleSpec.env": (NOTHING, _worker(env={"EPOCHS": "3"})),
    "Resources.gpus": (NOTHING, GPU),
    "Amounts.cpu": (NOTHING, _asked(requests={"cpu": "500m"})),
    "Amounts.memory": (NOTHING, _asked(limits={"memory": "1Gi"})),
    "Amounts.ephemeral_storage": (NOTHING, _asked(limits={"ephemeral_storage": "1Gi"})),
    "ContainerSpec.name": (_beside(), _beside(name="pack")),
    "ContainerSpec.image": (_beside(), _beside(image="registry.example/ship:2")),
    "ContainerSpec.command": (_beside(), _beside(command=["ship"])),
    "ContainerSpec.args": (_beside(), _beside(args=["--all"])),
    "ContainerSpec.env": (_beside(), _beside(env={"TO": "s3"})),
    "ContainerSpec.env_value_from": (_beside(), _beside(env_value_from={"IP": {"field": "status.podIP"}})),
    "ContainerSpec.ports": (_beside(), _beside(ports=[{"name": "health", "port": 8080}])),
    "ContainerSpec.resources": (
        _beside(resources={"gpus": 0}),
        _beside(resources={"gpus": 1}),
    ),
    "ValueFrom.secret": (_variable(secret="a", key="k"), _variable(secret="b", key="k")),
    "ValueFrom.config_map": (_variable(config_map="a", key="k"), _variable(config_map="b", key="k")),
    "ValueFrom.key": (_variable(secret="a", key="k"), _variable(secret="a", key="l")),
    "ValueFrom.field": (_variable(field="metadata.name"), _variable(field="status.hostIP")),
    "ValueFrom.resource": (_variable(resource="limits.cpu"), _variable(resource="requests.memory")),
    "ValueFrom.optional": (
        _variable(secret="a", key="k"),
        _variable(secret="a", key="k", optional=True),
    ),
    "EnvFromSpec.secret": (_variables(secret="a"), _variables(secret="b")),
    "EnvFromSpec.config_map": (_variables(config_map="a"), _variables(config_map="b")),
    "EnvFromSpec.prefix": (_variables(secret="a"), _variables(secret="a", prefix="S3_")),
    "EnvFromSpec.optional": (_variables(secret="a"), _variables(secret="a", optional=True)),
    "PortSpec.name": (_port(), _port(name="profiler")),
    "PortSpec.port": (_port(), _port(port=6006)),
    "PortSpec.protocol": (_port(), _port(protocol="UDP")),
    "VolumeSpec.mount_path": (_volume(claim="a"), _volume(claim="a", mount_path="/models")),
    "VolumeSpec.claim": (_volume(claim="a"), _volume(claim="b")),
    "VolumeSpec.existing_claim": (_volume(existing_claim="a"), _volume(existing_claim="team.b")),
    "VolumeSpec.config_map": (_volume(config_map="a"), _volume(config_map="b")),
    "VolumeSpec.secret": (_volume(secret="a"), _volume(secret="b")),
    "VolumeSpec.sub_path": (_volume(claim="a"), _volume(claim="a", sub_path="models/v3")),
    "VolumeSpec.read_only": (_volume(claim="a"), _volume(claim="a", read_only=True)),
    "EmptyDirSpec.size_limit": (_volume(empty_dir={}), _volume(empty_dir={"size_limit": "1Gi"})),
    "EmptyDirSpec.in_memory": (_volume(empty_dir={}), _volume(empty_dir={"in_memory": True})),
    "TolerationSpec.key": (_toleration(operator="Exists"), _toleration(operator="Exists", key=None)),
    "TolerationSpec.operator": (_toleration(), _toleration(operator="Exists")),
    "TolerationSpec.value": (_toleration(), _toleration(value="yes")),
    "TolerationSpec.effect": (_toleration(), _toleration(effect="NoSchedule")),
    "TolerationSpec.toleration_seconds": (
        _toleration(effect="NoExecute"),
        _toleration(effect="NoExecute", toleration_seconds=60),
    ),
    "AffinitySpec.node_affinity": (NOTHING, _node()),
    "AffinitySpec.pod_affinity": (NOTHING, {"affinity": {"pod_affinity": [{"labels": {"app": "cache"}}]}}),
    "AffinitySpec.pod_anti_affinity": (NOTHING, _peers()),
    "NodeAffinityTerm.key": (_node(), _node(key="zone")),
    "NodeAffinityTerm.operator": (_node(), _node(operator="NotIn")),
    "NodeAffinityTerm.values": (_node(), _node(values=["ssd", "nvme"])),
    "NodeAffinityTerm.weight": (_node(), _node(weight=50)),
    "PodAffinityTerm.labels": (_peers(), _peers(labels={"app": "other"})),
    "PodAffinityTerm.topology_key": (_peers(), _peers(topology_key="topology.kubernetes.io/zone")),
    "PodAffinityTerm.weight": (_peers(), _peers(weight=50)),
    "TopologySpreadSpec.topology_key": (_spread(), _spread(topology_key="topology.kubernetes.io/zone")),
    "TopologySpreadSpec.max_skew": (_spread(), _spread(max_skew=2)),
    "TopologySpreadSpec.when_unsatisfiable": (_spread(), _spread(when_unsatisfiable="DoNotSchedule")),
    "SecuritySpec.run_as_non_root": (NOTHING, {"security": {"run_as_non_root": False}}),
    "SecuritySpec.run_as_user": (NOTHING, {"security": {"run_as_user": None}}),
    "SecuritySpec.run_as_group": (NOTHING, {"security": {"run_as_group": 2000}}),
    "SecuritySpec.fs_group": (NOTHING, {"security": {"fs_group": None}}),
    "SecuritySpec.read_only_root_filesystem": (NOTHING, {"security": {"read_only_root_filesystem": True}}),
    "RunPolicySpec.clean_pod_policy": (NOTHING, _run(clean_pod_policy="All")),
    "RunPolicySpec.backoff_limit": (NOTHING, _run(backoff_limit=None)),
    "RunPolicySpec.active_deadline_seconds": (NOTHING, _run(active_deadline_seconds=3600)),
    "RunPolicySpec.suspend": (NOTHING, _run(suspend=True)),
    "RunPolicySpec.ttl_seconds_after_finished": (NOTHING, _run(ttl_seconds_after_finished=60)),
    "RunPolicySpec.scheduling_policy": (NOTHING, _queued(queue="nightly")),
    "SchedulingPolicySpec.min_available": (_queued(queue="a"), _queued(queue="a", min_available=2)),
    "SchedulingPolicySpec.queue": (_queued(queue="a"), _queued(queue="b")),
    "SchedulingPolicySpec.min_resources": (
        _queued(queue="a"),
        _queued(queue="a", min_resources={"cpu": 4, "memory": "8Gi"}),
    ),
    "SchedulingPolicySpec.priority_class": (
        _queued(queue="a"),
        _queued(queue="a", priority_class="offline-low"),
    ),
    "SchedulingPolicySpec.schedule_timeout_seconds": (
        _queued(queue="a"),
        _queued(queue="a", schedule_timeout_seconds=60),
    ),
    "ScheduleSpec.ttl_seconds_after_finished": (_scheduled(), _scheduled(ttl_seconds_after_finished=60)),
}


def job(change: Change) -> JobSpec:
    return JobSpec.model_validate(BASE | change)


def manifest(change: Change) -> dict[str, Any]:
    """The job's TFJob, in its tenant's namespace."""
    spec = job(change)
    return tfjob_manifest(
        spec,
        spec.tenant,
        priority_class=spec.priority,
        pool=POOL if spec.pool == POOL.name else None,
        script_name="mnist-script-0",
    )
