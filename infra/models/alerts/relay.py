"""The program between Alertmanager and the robots of group chats."""

from infra.models.base import Model
from infra.models.names import Image
from infra.models.resources import Amounts, Compute


class RelaySpec(Model):
    """A small pod that signs messages, cuts them to size, and takes a robot's refusal for a failure."""

    image: Image | None = None
    """Any image with python3, 3.9 or newer. Unset: the pinned public one."""
    resources: Compute = Compute(requests=Amounts(cpu="10m", memory="32Mi"), limits=Amounts(memory="128Mi"))
