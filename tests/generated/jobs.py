"""Training jobs that use every field, as data."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.generated.words import (
    ARGUMENTS,
    IMAGES,
    LABEL_KEYS,
    LABEL_VALUES,
    NAMES,
    OBJECT_NAMES,
    PATHS,
    SMALL_COUNTS,
    VALUES,
    VARIABLES,
    Data,
    amounts,
    distinct,
    mostly,
    resources,
    some,
    stated,
)

ENV = st.dictionaries(VARIABLES, VALUES, max_size=3)
LABELS = st.dictionaries(LABEL_KEYS, LABEL_VALUES, max_size=2)
KEYS = st.sampled_from(["token", ".x", "A.b_c-d", "k" * 253])
FIELDS = st.sampled_from(
    ["metadata.name", "spec.nodeName", "status.hostIP", "status.podIPs", "metadata.labels['team']", "status"]
)
RESOURCES = st.sampled_from(["limits.cpu", "requests.memory", "limits.ephemeral-storage", "limits.gpus"])

FROM = st.one_of(
    st.fixed_dictionaries({"secret": OBJECT_NAMES, "key": KEYS}, optional={"optional": st.booleans()}),
    st.fixed_dictionaries({"config_map": OBJECT_NAMES, "key": KEYS}),
    st.fixed_dictionaries({"field": mostly(FIELDS, st.just("metadata.annotations['a/b']"))}),
    st.fixed_dictionaries({"resource": RESOURCES}),
)
ENV_FROM = st.one_of(
    st.fixed_dictionaries({"secret": OBJECT_NAMES}, optional={"prefix": VARIABLES}),
    st.fixed_dictionaries({"config_map": OBJECT_NAMES}, optional={"optional": st.booleans()}),
)
PORTS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["debug", "a", "grpc-2", "x1-2-3", "p" * 15]),
        "port": st.sampled_from([1, 80, 5678, 6006, 65535]),
    },
    optional={"protocol": st.sampled_from(["TCP", "UDP", "SCTP"])},
)
CONTAINERS = st.fixed_dictionaries(
    {"name": st.sampled_from(["fetch", "ship", "a", "c" * 63]), "image": IMAGES, "resources": resources()},
    optional={
        "command": ARGUMENTS,
        "args": ARGUMENTS,
        "env": ENV,
        "env_value_from": st.dictionaries(VARIABLES, FROM, max_size=1),
        "ports": distinct(PORTS, max_size=2),
    },
)
SOURCES = st.one_of(
    st.fixed_dictionaries({"existing_claim": OBJECT_NAMES}),
    st.fixed_dictionaries({"config_map": OBJECT_NAMES}),
    st.fixed_dictionaries({"secret": OBJECT_NAMES}),
    st.fixed_dictionaries(
        {"empty_dir": some(size_limit=st.sampled_from(["1Gi", "512M"]), in_memory=st.booleans())}
    ),
)
TOLERATIONS = st.fixed_dictionaries(
    {"key": mostly(LABEL_KEYS)},
    optional={
        "operator": st.sampled_from(["Equal", "Exists"]),
        "value": LABEL_VALUES,
        "effect": st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
        "toleration_seconds": SMALL_COUNTS,
    },
).map(stated)
WEIGHTS = st.one_of(st.none(), st.sampled_from([1, 50, 100]))
NODE_TERMS = st.fixed_dictionaries(
    {"key": LABEL_KEYS, "operator": st.just("In"), "values": st.lists(LABEL_VALUES, min_size=1, max_size=2)}
)
ANY_NODE_TERMS = st.fixed_dictionaries(
    {
        "key": LABEL_KEYS,
        "operator": st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]),
        "values": st.lists(st.sampled_from(["8", "-1", "ssd", ""]), max_size=2),
    }
)
POD_TERMS = st.fixed_dictionaries(
    {"labels": st.dictionaries(LABEL_KEYS, LABEL_VALUES, min_size=1, max_size=2)},
    optional={"topology_key": LABEL_KEYS, "weight": WEIGHTS},
)
AFFINITY = some(
    node_affinity=st.lists(
        st.tuples(mostly(NODE_TERMS, ANY_NODE_TERMS), WEIGHTS).map(lambda t: t[0] | {"weight": t[1]}),
        max_size=2,
    ),
    pod_affinity=st.lists(POD_TERMS, max_size=2),
    pod_anti_affinity=st.lists(POD_TERMS, max_size=2),
)
SPREADS = some(
    topology_key=st.sampled_from(["kubernetes.io/hostname", "topology.kubernetes.io/zone"]),
    max_skew=st.integers(1, 3),
    when_unsatisfiable=st.sampled_from(["DoNotSchedule", "ScheduleAnyway"]),
)
RUN_POLICIES = some(
    clean_pod_policy=st.sampled_from(["Running", "All", "None"]),
    backoff_limit=st.one_of(st.none(), SMALL_COUNTS),
    active_deadline_seconds=st.sampled_from([1, 3600, 2**31 - 1]),
    suspend=st.booleans(),
    recreate=st.booleans(),
    scheduling_policy=some(
        min_available=st.just(1),
        queue=OBJECT_NAMES,
        min_resources=amounts(),
        schedule_timeout_seconds=st.just(60),
    ),
)
SECURITY = some(
    run_as_user=st.sampled_from([None, 1, 1000, 2**31 - 1]),
    run_as_group=st.sampled_from([None, 0, 1000]),
    fs_group=st.sampled_from([None, 0, 1000]),
    read_only_root_filesystem=st.booleans(),
    run_as_non_root=mostly(st.just(True), st.just(False)),
)
OVERRIDES = some(
    dnsPolicy=st.sampled_from(["Default", "ClusterFirst"]),
    dnsConfig=st.just({"options": [{"name": "ndots", "value": "2"}]}),
    activeDeadlineSeconds=st.just(3600),
    hostAliases=st.just([{"ip": "10.0.0.1", "hostnames": ["store.example"]}]),
    setHostnameAsFQDN=st.booleans(),
    schedulerName=st.just("default-scheduler"),
    shareProcessNamespace=st.sampled_from([None, False]),
    volumes=st.just([{"name": "extra", "emptyDir": {}}]),
    containers=st.just([{"name": "tensorflow", "workingDir": "/tmp", "tty": True}]),
)

SCHEDULES = st.one_of(
    st.sampled_from(["0 2 * * *", "@weekly", "*/5 8-18 1,15 jan mon-fri"]),
    st.fixed_dictionaries(
        {"cron": st.sampled_from(["0 0 29 2 *", "? * * * sun"])},
        optional={
            "time_zone": st.sampled_from(["Asia/Shanghai", "Etc/GMT+8", "America/Argentina/Ushuaia"]),
            "concurrency_policy": st.sampled_from(["Allow", "Forbid", "Replace"]),
            "ttl_seconds_after_finished": st.sampled_from([30, 2**31 - 1]),
            "successful_runs_history": SMALL_COUNTS,
            "failed_runs_history": SMALL_COUNTS,
            "starting_deadline_seconds": st.sampled_from([None, 10, 2**31 - 1]),
            "suspend": st.booleans(),
        },
    ),
)

FIELDS_OF_A_JOB = some(
    args=ARGUMENTS,
    env=ENV,
    env_value_from=st.dictionaries(VARIABLES, FROM, max_size=2),
    env_from=st.lists(ENV_FROM, max_size=2),
    termination_grace_period_seconds=st.sampled_from([0, 5, 30, 600]),
    ports=distinct(PORTS, max_size=2),
    metrics_port=st.sampled_from([9100, 8000]),
    init_containers=distinct(CONTAINERS, max_size=1),
    sidecars=distinct(CONTAINERS, max_size=1),
    node_selector=LABELS,
    tolerations=st.lists(TOLERATIONS, max_size=2),
    affinity=AFFINITY,
    topology_spread=st.lists(SPREADS, max_size=2),
    service_account=st.just("trainer"),
    image_pull_secrets=st.lists(OBJECT_NAMES, max_size=2),
    image_pull_policy=st.sampled_from(["Always", "IfNotPresent", "Never"]),
    security=SECURITY,
    labels=LABELS,
    annotations=st.dictionaries(LABEL_KEYS, VALUES, max_size=2),
    run_policy=RUN_POLICIES,
    success_policy=st.just("AllWorkers"),
    enable_dynamic_worker=st.booleans(),
    pod_overrides=OVERRIDES,
    schedule=SCHEDULES,
)


@cache
def roles(gpus: int) -> st.SearchStrategy[Data]:
    """Any roles that make a job; a worker has the GPUs."""

    def role(most: int, of_gpus: int = 0) -> st.SearchStrategy[Data]:
        said = {"replicas": st.integers(1, most), "image": IMAGES}
        said |= {"command": ARGUMENTS, "args": ARGUMENTS, "env": ENV}
        said["pod_overrides"] = OVERRIDES
        said["restart_policy"] = st.sampled_from(["Always", "OnFailure", "Never", "ExitCode"])
        return st.fixed_dictionaries({"resources": resources()}, optional=said).map(
            lambda data: data | {"resources": data["resources"] | ({"gpus": of_gpus} if of_gpus else {})}
        )

    return st.fixed_dictionaries(
        {"worker": role(12, gpus)}, optional={"chief": role(1), "ps": role(3), "evaluator": role(2)}
    )


@st.composite
def jobs(draw: st.DrawFn, *, tenant: str, priorities: list[str], pool: str | None, claims: list[str]) -> Any:
    """One job of a stack that has these."""
    pool = draw(st.sampled_from([pool, None]))
    gpus = draw(st.sampled_from([0, 0, 1, 4])) if pool else 0
    job = {"tenant": tenant, "priority": draw(st.sampled_from(priorities)), "image": draw(IMAGES)}
    job |= {"name": draw(NAMES)} | draw(roles(gpus)) | ({"pool": pool} if pool else {})
    job |= draw(st.sampled_from([{}, {"script": "train.py"}, {"command": ["python3"]}]))
    sources = st.one_of(SOURCES, st.sampled_from(claims).map(lambda c: {"claim": c})) if claims else SOURCES
    places = some(read_only=st.booleans(), sub_path=st.sampled_from(["models/v3", "a b"]))
    volumes = st.tuples(PATHS, sources, places).map(lambda t: {"mount_path": t[0]} | t[1] | t[2])
    return job | draw(FIELDS_OF_A_JOB) | {"volumes": draw(distinct(volumes, "mount_path", max_size=3))}
