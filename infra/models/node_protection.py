"""What keeps training from slowing down online pods on the same node."""

from infra.models.base import Count, Model
from infra.models.names import DnsLabel, Image
from infra.models.resources import Amounts, Compute


class NodeProtectionSpec(Model):
    """A small pod on each node that lets offline pods have only the CPU time that nobody else wants.

    It sets `cpu.idle`, which Linux has since 5.15, on the control groups of pods of the offline classes, and
    keeps these pods off some cores.
    """

    namespace: DnsLabel = "node-protection"
    """Where it runs; made for it, at the Pod Security level privileged, which it needs."""
    image: Image | None = None
    """Any image with python3, 3.9 or newer. Unset: the pinned public one."""
    spare_cores: Count = 1
    """Cores of each node, with all their threads, that offline pods never use; at least one is left them."""
    resources: Compute = Compute(
        requests=Amounts(cpu="10m", memory="32Mi"), limits=Amounts(cpu="200m", memory="96Mi")
    )
