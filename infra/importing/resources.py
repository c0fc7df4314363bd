"""What a container asks for and may use."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from infra.checks import Finding, devices
from infra.importing.entry import Data
from infra.importing.remarks import fault
from infra.models.base import Loc
from infra.models.quantities import amount, count
from infra.vocabulary import GPU_RESOURCE

_NATIVE = ("cpu", "memory", "ephemeral-storage")


def typed(resources: Data) -> dict[str, Any]:
    """As `resources` of an entry has it."""
    found: dict[str, Any] = {}
    for kind in ("requests", "limits"):
        amounts = {key: value for key, value in resources.get(kind, {}).items() if key in _NATIVE}
        if amounts:
            found[kind] = {key.replace("-", "_"): value for key, value in amounts.items()}
    gpus = resources.get("limits", {}).get(GPU_RESOURCE)
    if gpus is not None and _whole(gpus):
        number = int(amount(str(gpus)))
        found |= {"gpus": number} if number else {}
    return found


def untyped(resources: Data) -> dict[str, Any]:
    """What no field of an entry says: other devices, huge pages, claims of devices."""
    if any(faults(resources, ())):
        return {}  # said once, where the manifest has it
    found = {key: value for key, value in resources.items() if key not in ("requests", "limits")}
    for kind in ("requests", "limits"):
        rest = {k: v for k, v in resources.get(kind, {}).items() if k not in (*_NATIVE, GPU_RESOURCE)}
        if rest:
            found[kind] = rest
    return found


def faults(resources: Data, at: Loc) -> Iterator[Finding]:
    """Devices come whole, have a limit, and are requested as they are limited."""
    requests, limits = resources.get("requests", {}), resources.get("limits", {})
    for kind, amounts in (("requests", requests), ("limits", limits)):
        for key, value in amounts.items():
            place = (*at, kind, key)
            if "/" in key and (refused := _refusal(value)):
                yield fault("device-not-whole", place, refused)
            elif "/" not in key and key not in _NATIVE and not key.startswith("hugepages-"):
                text = f"containers have no resource called {key}; write cpu, memory or {GPU_RESOURCE}"
                yield fault("resource-unknown", place, text)
    for found in devices.faults(_devices(requests), _devices(limits)):
        if found.resource not in limits or _whole(limits[found.resource]):
            yield fault(found.code, (*at, "requests", found.resource), f"{found.message}; {found.remedy}")


def _devices(amounts: Data) -> dict[str, Decimal]:
    return {key: amount(str(value)) for key, value in amounts.items() if "/" in key and _whole(value)}


def _whole(value: Any) -> bool:
    return _refusal(value) is None


def _refusal(value: Any) -> str | None:
    """Why it is no number of devices."""
    try:
        count(value)
    except ValueError as error:
        return str(error)
    return None
