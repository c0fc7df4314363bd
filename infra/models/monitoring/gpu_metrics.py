"""Metrics of GPUs."""

from collections.abc import Iterator

from infra.models.base import Fault, Flag, Model
from infra.models.names import DnsLabel, Image, ObjectName


class GpuMetricsSpec(Model):
    """NVIDIA's DCGM exporter on the nodes of GPU pools; nothing where there is no such pool."""

    install: Flag = True
    """false: NVIDIA's GPU Operator runs one already."""
    namespace: DnsLabel = "gpu-monitoring"
    """Where it runs; made for it, at the Pod Security level privileged, which it needs."""
    image: Image | None = None
    """Unset: the pinned public one."""
    runtime_class: ObjectName | None = None
    """RuntimeClass of the pods, such as nvidia, where the node's default runtime shows no GPU."""
    profiling: Flag = False
    """Also counters of the GPU's units, for which the exporter needs the capability SYS_ADMIN."""

    def faults(self) -> Iterator[Fault]:
        if not self.install:
            for idle in sorted(self.model_fields_set - {"install"}):
                yield (idle,), "has no effect with install: false; remove it, or install: true"
