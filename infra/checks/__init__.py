"""Rules that hold between the objects of a stack. Pure: a subject goes in, findings come out."""

from infra.checks import (
    alerts,
    containers,
    contents,
    dashboards,
    delivery,
    env,
    gpu_metrics,
    images,
    kubernetes_version,
    limit_ranges,
    metadata,
    monitoring,
    names,
    node_protection,
    nodes,
    overrides,
    pod_security,
    pools,
    ports,
    preemption,
    priorities,
    queueing,
    quota,
    references,
    resources,
    roles,
    run_policy,
    scripts,
    secrets,
    selectors,
    storage,
    volumes,
)
from infra.checks.findings import Check, Finding, Located, Severity, Subject

CHECKS: tuple[Check, ...] = (
    contents.check,
    names.check,
    priorities.check,
    pools.check,
    references.check,
    storage.check,
    scripts.check,
    resources.check,
    limit_ranges.check,
    quota.check,
    queueing.check,
    nodes.check,
    selectors.check,
    roles.check,
    run_policy.check,
    preemption.check,
    images.check,
    ports.check,
    env.check,
    secrets.check,
    volumes.check,
    containers.check,
    overrides.check,
    pod_security.check,
    metadata.check,
    kubernetes_version.check,
    monitoring.check,
    gpu_metrics.check,
    node_protection.check,
    alerts.check,
    dashboards.check,
    delivery.check,
)


def examine(subject: Subject) -> tuple[Finding, ...]:
    """Everything that every check finds."""
    return tuple(finding for check in CHECKS for finding in check(subject))


__all__ = ["CHECKS", "Check", "Finding", "Located", "Severity", "Subject", "examine"]
