"""GPUs: what NVIDIA's DCGM exporter says of each, and whose it is."""

from components.rendering.dashboards.parts import (
    Dashboard,
    Link,
    Panel,
    Query,
    Row,
    Threshold,
    Unit,
    Variable,
    link_to,
)
from components.rendering.dashboards.promql import PER_SECOND, of_jobs, requests

_GPU = 'job="dcgm-exporter", node=~"$node"'
_EVERY = "{{node}} GPU {{gpu}}"


def gpu() -> Dashboard:
    return Dashboard(
        name="gpu",
        title="Colocation / GPUs",
        description="Use, memory, heat and errors of GPUs, and the pods that hold them.",
        variables=(
            Variable(
                name="node",
                label="Node",
                query='label_values(kube_node_status_allocatable{resource="nvidia_com_gpu"}, node)',
            ),
            Variable(
                name="namespace",
                label="Namespace",
                query="label_values(container_cpu_usage_seconds_total, namespace)",
            ),
            Variable(
                name="tfjob",
                label="Job",
                query='label_values(kube_tfjob_created{namespace=~"$namespace"}, tfjob)',
            ),
        ),
        rows=(_allocation(), _work(), _health()),
    )


def _allocation() -> Row:
    on_nodes = 'node=~"$node"'
    there = f'kube_node_status_allocatable{{resource="nvidia_com_gpu", {on_nodes}}}'
    held = requests("nvidia_com_gpu", on_nodes)
    return Row(
        title="Whose they are",
        panels=(
            Panel(
                title="GPUs held by pods",
                description="GPUs that nodes have, and those that pods which have not ended request.",
                unit="short",
                queries=(
                    Query(expr=f"sum({there})", legend="there"),
                    Query(expr=f"sum({held})", legend="held"),
                ),
            ),
            Panel(
                title="GPUs held by namespace",
                description="Of pods that have not ended.",
                unit="short",
                stacked=True,
                queries=(Query(expr=f"sum by (namespace) ({held})", legend="{{namespace}}"),),
            ),
            Panel(
                title="Pods that hold GPUs",
                description="How busy their GPUs are. A GPU that is held and idle is lost to everyone.",
                kind="table",
                unit="percent",
                columns=("node", "gpu", "modelName", "namespace", "pod"),
                value_column="Use",
                links=(
                    Link(
                        column="namespace",
                        title="Show the jobs of this namespace",
                        url=link_to("training-jobs", namespace="${__value.text}"),
                    ),
                ),
                queries=(Query(expr=f'DCGM_FI_DEV_GPU_UTIL{{{_GPU}, pod!=""}}'),),
            ),
        ),
    )


def _work() -> Row:
    used = f"DCGM_FI_DEV_FB_USED{{{_GPU}}}"
    whole = f"({used} + DCGM_FI_DEV_FB_FREE{{{_GPU}}} + DCGM_FI_DEV_FB_RESERVED{{{_GPU}}})"
    return Row(
        title="What they do",
        panels=(
            Panel(
                title="GPU use",
                description="Share of time in which anything ran on the GPU; it does not say how much of the "
                "GPU that filled. Over 95 % for long means that training waits for the GPU.",
                unit="percent",
                maximum=100,
                thresholds=(Threshold(95, "orange"),),
                queries=(Query(expr=f"DCGM_FI_DEV_GPU_UTIL{{{_GPU}}}", legend=_EVERY),),
            ),
            Panel(
                title="GPU memory used",
                description="Share of the GPU's memory. TensorFlow takes nearly all at its start, unless "
                "it is told to let it grow.",
                unit="percentunit",
                maximum=1,
                queries=(Query(expr=f"{used} / {whole}", legend=_EVERY),),
            ),
            Panel(
                title="GPU use by job",
                description="Mean over the GPUs that the pods of a job hold.",
                unit="percent",
                maximum=100,
                queries=(
                    Query(
                        expr=f"{of_jobs('DCGM_FI_DEV_GPU_UTIL')} / {of_jobs('DCGM_FI_DEV_GPU_UTIL * 0 + 1')}",
                        legend="{{namespace}}/{{tfjob}}",
                    ),
                ),
            ),
        ),
    )


def _health() -> Row:
    return Row(
        title="Health",
        panels=(
            _plain(
                "Temperature", "celsius", "DCGM_FI_DEV_GPU_TEMP", 80, 90, "Hot GPUs slow themselves down."
            ),
            _plain("Power", "watt", "DCGM_FI_DEV_POWER_USAGE", None, None, "What each GPU draws."),
            _plain(
                "Last XID error",
                "short",
                "DCGM_FI_DEV_XID_ERRORS",
                None,
                1,
                "The driver's number of the last fault; 0 is none. It stays until the driver starts anew.",
            ),
            _plain(
                "Failed row remaps",
                "short",
                "DCGM_FI_DEV_ROW_REMAP_FAILURE",
                None,
                1,
                "1: the GPU's memory has faults that it could not map away; the GPU must be replaced.",
            ),
            Panel(
                title="Faulty rows of memory",
                description="Rows that were mapped away, correctable or not. A growing number announces a "
                "failure.",
                unit="short",
                queries=(
                    Query(
                        expr=f"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{{{_GPU}}}",
                        legend=f"{_EVERY} uncorrectable",
                    ),
                    Query(
                        expr=f"DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS{{{_GPU}}}",
                        legend=f"{_EVERY} correctable",
                    ),
                ),
            ),
            Panel(
                title="PCIe replays",
                description="Transfers that had to be repeated, a second; other than 0 points at the slot "
                "or its cable.",
                unit="short",
                thresholds=(Threshold(1, "orange"),),
                queries=(
                    Query(expr=f"rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER{{{_GPU}}}{PER_SECOND})", legend=_EVERY),
                ),
            ),
        ),
    )


def _plain(
    title: str, unit: Unit, metric: str, orange: float | None, red: float | None, description: str
) -> Panel:
    """A metric of each GPU as it is."""
    return Panel(
        title=title,
        description=description,
        unit=unit,
        thresholds=(
            *((Threshold(orange, "orange"),) if orange is not None else ()),
            *((Threshold(red, "red"),) if red is not None else ()),
        ),
        queries=(Query(expr=f"{metric}{{{_GPU}}}", legend=_EVERY),),
    )
