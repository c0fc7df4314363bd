"""What the pod that starts a scheduled run asks for; a quota counts it beside the training."""

from collections.abc import Mapping
from typing import Final

REQUESTS: Final[Mapping[str, str]] = {"cpu": "10m", "memory": "32Mi"}
LIMITS: Final[Mapping[str, str]] = {"cpu": "250m", "memory": "128Mi"}
