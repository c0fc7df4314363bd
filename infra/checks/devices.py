"""GPUs and other extended resources, which the API server does not overcommit.

Source of the rules: https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple


class DeviceFault(NamedTuple):
    """What is wrong with the request of one resource of a container."""

    resource: str
    code: str
    message: str
    remedy: str


def faults(requests: Mapping[str, Decimal], limits: Mapping[str, Decimal]) -> Iterator[DeviceFault]:
    """Requests as stated, that have no limit or another one."""
    for resource in (name for name in requests if "/" in name):
        if resource not in limits:
            yield DeviceFault(
                resource,
                "gpus-without-limit",
                f"{resource} is requested and has no limit",
                f"write the {requests[resource]} under limits, and no request",
            )
        elif requests[resource] != limits[resource]:
            yield DeviceFault(
                resource,
                "gpus-request-not-limit",
                f"{requests[resource]} {resource} requested, and the limit is {limits[resource]}",
                "write the limit alone; the request is then the same",
            )
