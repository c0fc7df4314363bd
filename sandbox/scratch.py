"""Copies of the project that tests and benchmarks may edit, with the stack's state or one of their own."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import yaml

from sandbox import paths
from sandbox.pulumi import STACK, Workspace


def copied(workspace: Workspace, project: Path) -> Workspace:
    """The same stack and state, seen from a copy of the project in the folder `project`."""
    for part in ("infra", "components", "policy", "stacks"):
        shutil.copytree(paths.CHECKOUT / part, project / part)
    shutil.copy(paths.CHECKOUT / "Pulumi.yaml", project)
    variables = {**workspace.variables, "PYTHONPATH": str(project)}
    return replace(workspace, project=project, variables=variables)


def with_own_state(copy: Workspace) -> Workspace:
    """A stack of the same name and config whose state, still empty, is in the copy of the project.

    Raises:
        SandboxError: Pulumi cannot make it.
    """
    backend = copy.project / "backend"
    backend.mkdir()
    config = copy.project / f"Pulumi.{STACK}.yaml"
    own = replace(
        copy,
        backend=backend,
        config_file=config,
        variables={**copy.variables, "PULUMI_BACKEND_URL": f"file://{backend}"},
    )
    own.create_stack()
    key = yaml.safe_load(config.read_text())
    config.write_text(yaml.safe_dump({**yaml.safe_load(copy.config_file.read_text()), **key}))
    return own
