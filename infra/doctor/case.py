"""What the doctor looks at: what a stack declares, and what its cluster holds. Plain data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from infra.cluster.jobs import TFJob
from infra.cluster.logs import Log, Logs, Source
from infra.cluster.state import State
from infra.cluster.watching import Watching
from infra.live.snapshot import Snapshot
from infra.models import JobSpec, Stack

MOMENTS_SECONDS = 15
"""What is younger is on its way, not ill."""
STALLED_SECONDS = 600
"""Without a sign of progress, a running training is taken for one that stands still."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One stack on one cluster."""

    stack: Stack
    name: str
    """The stack's."""
    state: State
    live: Snapshot
    """The same cluster, as `colo check --live` looks at it."""
    logs: Logs = field(default_factory=dict)
    watching: Watching | None = None
    """What the cluster's Prometheus says. None: there is none, or it does not answer."""
    stalled_seconds: float = STALLED_SECONDS

    @property
    def idle_seconds(self) -> Mapping[tuple[str, str], float]:
        """Since jobs last got on, as their own metrics say; none of jobs without."""
        return self.watching.idle_seconds if self.watching else {}

    @property
    def update(self) -> str:
        """The command that brings the cluster to what the stack declares."""
        return f"pulumi up --refresh --stack {self.name}"

    def declared(self, job: TFJob) -> JobSpec | None:
        """What the stack says of a TFJob, or of the scheduled job that it is a run of."""
        return self.spec(job.namespace, job.schedule or job.name)

    def spec(self, namespace: str, name: str) -> JobSpec | None:
        """A job of the stack."""
        return self._specs.get((namespace, name))

    def place(self, spec: JobSpec) -> str:
        """Where a job stands in the stack."""
        return f"jobs[{self.stack.jobs.index(spec)}]"

    @cached_property
    def jobs(self) -> tuple[TFJob, ...]:
        """The TFJobs to look at: all in the tenants' namespaces, of a schedule's runs the newest."""
        tenants = {tenant.name for tenant in self.stack.tenants}
        newest: dict[tuple[str, str], TFJob] = {}
        for job in sorted(self.state.jobs or (), key=lambda job: -self.state.seconds_since(job.created)):
            if job.namespace in tenants:
                newest[job.namespace, job.schedule or job.name] = job
        return tuple(newest.values())

    @cached_property
    def missing(self) -> tuple[JobSpec, ...]:
        """Declared jobs that are not in the cluster, and that nothing but a fault would take away."""
        if self.state.jobs is None:
            return ()
        return tuple(
            spec
            for spec in self.stack.jobs
            if spec.schedule is None
            and spec.run_policy.ttl_seconds_after_finished is None
            and self.state.job(spec.tenant, spec.name) is None
        )

    def stuck(self) -> Iterator[TFJob]:
        """Jobs that should have pods and have fewer than they ask for, after the first moments."""
        for job in self.jobs:
            few = len(self.state.pods_of(job)) < sum(job.replicas.values())
            young = self.state.seconds_since(job.created) < MOMENTS_SECONDS
            if not job.settled and not job.suspended and few and not young:
                yield job

    def log(self, namespace: str, pod: str, container: str, *, before: bool = False) -> Log:
        """The log of a container; empty if nobody asked for it."""
        return self.logs.get(Source(namespace, pod, container, before), Log())

    @cached_property
    def _specs(self) -> Mapping[tuple[str, str], JobSpec]:
        return {(spec.tenant, spec.name): spec for spec in self.stack.jobs}
