"""What this project makes of a stack that a benchmark writes, as `colo render` finds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from infra.plan import plan
from infra.rendered import Resource, declared, manifest


def resources(content: Mapping[str, Any], folder: Path, name: str) -> list[Resource]:
    """What the program declares for a stack, which is written to `stacks/` of a folder."""
    file = folder / "stacks" / f"{name}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(dict(content), sort_keys=False), "utf-8")
    quiet = replace(plan(file), findings=())  # that it keeps no checkpoints, say, is no news here
    return declared(quiet, name, show_secrets=False)


def objects(found: Sequence[Resource]) -> list[dict[str, Any]]:
    """Those that go to a cluster, as manifests."""
    return [manifest(resource) for resource in found if resource.is_object]
