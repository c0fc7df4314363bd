"""Gang scheduling: a policy that something acts on, and that the job can meet."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.references import missing


def check(subject: Subject) -> Iterator[Finding]:
    """The scheduling policy of every job that has one."""
    classes = [priority.name for priority in subject.stack.priorities]
    for workload in subject.workloads:
        policy = workload.job.run_policy.scheduling_policy
        if policy is None:
            continue
        place = (*workload.place, "run_policy", "scheduling_policy")
        replicas = sum(pods.replicas for pods in workload.pods)
        if policy.min_available is not None and policy.min_available > replicas:
            yield Finding(
                code="min-available-above-replicas",
                place=(*place, "min_available"),
                message=f"{policy.min_available} pods shall start together, and the job has {replicas}",
                remedy=f"write at most {replicas}",
            )
        if policy.priority_class is not None:
            yield from missing("priority", (*place, "priority_class"), policy.priority_class, classes)
        if subject.stack.training_operator.install:
            yield Finding(
                severity="warning",
                code="gang-scheduling-ignored",
                place=place,
                message="the training operator of this stack runs without a gang scheduler and ignores this",
                remedy="leave it out; a quota that holds the whole job keeps it from starting in part",
            )
