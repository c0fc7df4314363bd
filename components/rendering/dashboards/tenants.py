"""Tenants: what each team may have, has asked for, and uses."""

from components.rendering.dashboards.parts import Choice, Dashboard, Panel, Query, Row, Threshold, Unit
from components.rendering.dashboards.promql import CHOSEN, cpu, memory, requests

_BY_NAMESPACE = "{{namespace}}"
_EACH = "max by (namespace, resourcequota, resource)"
_USED = f'{_EACH} (kube_resourcequota{{{CHOSEN}, type="used"}})'
_HARD = f'{_EACH} (kube_resourcequota{{{CHOSEN}, type="hard"}})'


def tenants(namespaces: tuple[str, ...]) -> Dashboard:
    """For the namespaces of a stack's tenants."""
    return Dashboard(
        name="tenants",
        title="Colocation / Tenants",
        description="Quotas of teams, how full they are, and how much of what is held is used.",
        variables=(Choice(name="namespace", label="Tenant", values=namespaces),),
        rows=(_quota(), _held("CPU", "cpu"), _held("Memory", "memory"), _pods()),
    )


def _quota() -> Row:
    full = f"{_USED} / ({_HARD} > 0)"
    return Row(
        title="Quota",
        panels=(
            Panel(
                title="How full the quotas are",
                description="At 1, new pods are refused; a job then has no pods, and its events say "
                "`exceeded quota`.",
                kind="bars",
                unit="percentunit",
                maximum=1,
                thresholds=(Threshold(0.8, "orange"), Threshold(0.95, "red")),
                queries=(
                    Query(expr=f"max by (namespace, resource) ({full})", legend="{{namespace}} {{resource}}"),
                ),
            ),
            Panel(
                title="Quota used in time",
                description="Share of the quota, by resource.",
                unit="percentunit",
                maximum=1,
                thresholds=(Threshold(0.8, "orange"), Threshold(0.95, "red")),
                queries=(
                    Query(expr=f"max by (namespace, resource) ({full})", legend="{{namespace}} {{resource}}"),
                ),
            ),
            Panel(
                title="Left in the quotas",
                description="In the resource's own unit: cores, bytes, GPUs, objects.",
                kind="table",
                unit="short",
                columns=("namespace", "resource"),
                value_column="Left",
                queries=(Query(expr=f"min by (namespace, resource) ({_HARD} - {_USED})"),),
            ),
        ),
    )


def _held(title: str, resource: str) -> Row:
    used = cpu(CHOSEN) if resource == "cpu" else memory(CHOSEN)
    unit: Unit = "short" if resource == "cpu" else "bytes"
    held = f"sum by (namespace) ({requests(resource, CHOSEN)})"
    return Row(
        title=title,
        panels=(
            Panel(
                title=f"{title} requested",
                description="By pods that have not ended; this is what counts against the quota.",
                unit=unit,
                stacked=True,
                queries=(Query(expr=held, legend=_BY_NAMESPACE),),
            ),
            Panel(
                title=f"{title} used",
                description="By containers.",
                unit=unit,
                stacked=True,
                queries=(Query(expr=f"sum by (namespace) ({used})", legend=_BY_NAMESPACE),),
            ),
            Panel(
                title=f"{title} used of what is requested",
                description="Far below 1 for long: the team asks for more than it needs. Above 1 it takes "
                "what nobody promised.",
                unit="percentunit",
                queries=(Query(expr=f"sum by (namespace) ({used}) / {held}", legend=_BY_NAMESPACE),),
            ),
        ),
    )


def _pods() -> Row:
    gpus = requests("nvidia_com_gpu", CHOSEN)
    return Row(
        title="Pods and GPUs",
        panels=(
            Panel(
                title="GPUs requested",
                description="By pods that have not ended.",
                unit="short",
                stacked=True,
                queries=(Query(expr=f"sum by (namespace) ({gpus})", legend=_BY_NAMESPACE),),
            ),
            Panel(
                title="Pods by phase",
                description="Of all that the team's namespace holds.",
                unit="short",
                stacked=True,
                queries=(
                    Query(
                        expr=f"sum by (namespace, phase) (kube_pod_status_phase{{{CHOSEN}}}) > 0",
                        legend="{{namespace}} {{phase}}",
                    ),
                ),
            ),
            Panel(
                title="Jobs by condition",
                description="TFJobs of which the condition holds; a finished one counts until it is deleted.",
                unit="short",
                queries=(
                    Query(
                        expr="sum by (namespace, condition) "
                        f'(kube_tfjob_status_condition{{{CHOSEN}, condition!="Created"}}) > 0',
                        legend="{{namespace}} {{condition}}",
                    ),
                ),
            ),
        ),
    )
