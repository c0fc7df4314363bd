"""How Pulumi runs against the sandbox: its environment, its state and the stack's copy of its config."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from sandbox import network, paths, policy_pack, tools
from sandbox.errors import SandboxError
from sandbox.progress import Progress

Done = subprocess.CompletedProcess[str]
PROGRAMS = ("kubectl", "pulumi", "pulumi-language-python", "pulumi-resource-kubernetes")
STACK = "dev"
# Guards throw-away data on this machine; a real stack has a passphrase or key service of its own.
PASSPHRASE = "sandbox"
OPERATOR_SOURCE_KEY = "colocation:trainingOperatorSource"


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """Where and how `pulumi` is to be run.

    Fields: variables to add to the environment; the stack's config file (a copy, so that the key
    which Pulumi adds to it changes no committed file); backend is the folder with the state; kubectl is that
    program; policy_pack is what starts the pack here; project is the folder with Pulumi.yaml.
    """

    variables: Mapping[str, str]
    config_file: Path
    backend: Path
    kubectl: Path
    policy_pack: Path
    project: Path = paths.CHECKOUT

    def update(self, command: str, *arguments: str, capture: bool = False) -> Done:
        """Run up, preview, refresh or destroy to its end; the caller looks at the return code."""
        self.release_stale_lock()
        config = ("--config-file", str(self.config_file), "--non-interactive")
        return self.run(command, "--stack", STACK, *config, *arguments, capture=capture)

    def preview(self, *arguments: str, capture: bool = False) -> Done:
        """Run a preview with the policy pack and the stack's settings of it."""
        settings = self.project / "policy" / "config" / f"{STACK}.json"
        pack = ("--policy-pack", str(self.policy_pack), "--policy-pack-config", str(settings))
        return self.update("preview", *pack, *arguments, capture=capture)

    def outputs(self) -> dict[str, Any]:
        """The stack's outputs."""
        done = self.run("stack", "output", "--stack", STACK, "--json", capture=True)
        outputs: dict[str, Any] = json.loads(done.stdout or "{}")
        return outputs

    def last_changes(self) -> dict[str, int]:
        """How many resources the last update created, updated and so on, by Pulumi's operation."""
        done = self.run(
            "stack", "history", "--stack", STACK, "--json", "--page-size", "1", "--page", "1", capture=True
        )
        history = json.loads(done.stdout or "[]")
        changes: dict[str, int] = history[0].get("resourceChanges") or {} if history else {}
        return changes

    def run(self, *arguments: str, capture: bool = False) -> Done:
        """Run to Pulumi's own end, also when interrupted: killed, it would leave work pending."""
        command, pipe = ["pulumi", *arguments], subprocess.PIPE if capture else None
        with subprocess.Popen(
            command,
            cwd=self.project,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            text=True,
        ) as child:
            try:
                out, err = child.communicate()
            except KeyboardInterrupt:
                child.communicate()
                raise
        return Done(command, child.returncode, out, err)

    def create_stack(self) -> None:
        """Make the stack, whose state is then empty.

        Raises:
            SandboxError: Pulumi cannot make it.
        """
        done = self.run("stack", "init", STACK, "--no-select", "--non-interactive", capture=True)
        if done.returncode != 0:
            raise SandboxError(f"`pulumi stack init {STACK}` failed: {done.stderr.strip()}")

    def environment(self) -> dict[str, str]:
        """The whole environment of a program that is to see the sandbox."""
        return {**os.environ, **self.variables}

    def release_stale_lock(self) -> None:
        """Remove the locks of a Pulumi that was killed; `cancel` removes all, so none while one runs."""
        locks = list(self.backend.glob(f".pulumi/locks/**/{STACK}/*.json"))
        if locks and not any(map(_holder_runs, locks)):
            self.run("cancel", "--yes", "--stack", STACK, capture=True)


def _holder_runs(lock: Path) -> bool:
    """Whether the Pulumi that wrote the lock still runs; its pid may be a stranger's by now."""
    try:
        pid = json.loads(lock.read_text())["pid"]
        return "pulumi" in Path(f"/proc/{pid}/comm").read_text()
    except (OSError, ValueError, LookupError, TypeError):  # no such process, or a damaged lock
        return False


def workspace(report: Progress) -> Workspace:
    """Programs, backend and stack, made if they are missing.

    Raises:
        SandboxError: the stack cannot be made.
    """
    programs = tools.ensure([*PROGRAMS, "training-operator"], report)
    operator_source = tools.operator_manifests() / "overlays" / "standalone"
    programs.pop("training-operator")  # runs in the cluster only
    home = paths.state() / "pulumi"
    for folder in ("home", "backend", "project"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    # The language host takes the python3 that is first on PATH: the one that runs this.
    policy_pack.write(home / "policy")
    folders = [
        Path(sys.executable).parent,
        home / "policy",
        *(program.parent for program in programs.values()),
    ]
    variables = {
        "PATH": os.pathsep.join([*dict.fromkeys(map(str, folders)), os.environ.get("PATH", os.defpath)]),
        "KUBECONFIG": str(paths.kubeconfig()),
        "PULUMI_HOME": str(home / "home"),
        "PULUMI_BACKEND_URL": f"file://{home / 'backend'}",
        "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        **(network.no_proxy() if network.direct_environment() != dict(os.environ) else {}),
    }
    config_file = home / "project" / f"Pulumi.{STACK}.yaml"
    workspace = Workspace(
        variables=variables,
        config_file=config_file,
        backend=home / "backend",
        kubectl=programs["kubectl"],
        policy_pack=home / "policy",
    )
    # Written last by _copy_config: its presence tells that the stack is whole.
    if not config_file.exists():
        _make_stack(workspace)
    _copy_config(config_file, operator_source)
    return workspace


def _make_stack(workspace: Workspace) -> None:
    """`stack init` writes its key into the project it is run in, so it is run in one of our own."""
    project = workspace.config_file.parent
    (project / "Pulumi.yaml").write_text((paths.CHECKOUT / "Pulumi.yaml").read_text())
    replace(workspace, project=project).create_stack()


def _copy_config(config_file: Path, operator_source: Path) -> None:
    """The committed config, the stack's key, and where the operator's manifests are on this machine."""
    kept = yaml.safe_load(config_file.read_text()) if config_file.exists() else {}
    ours = yaml.safe_load((paths.CHECKOUT / f"Pulumi.{STACK}.yaml").read_text()) or {}
    config = {**(ours.get("config") or {}), OPERATOR_SOURCE_KEY: str(operator_source)}
    merged = {**(kept or {}), **ours, "config": config}
    half = config_file.with_suffix(".partial")
    half.write_text(yaml.safe_dump(merged))
    half.rename(config_file)  # whole or not at all: without its key the stack cannot be opened


def exports(workspace: Workspace) -> Sequence[str]:
    """Shell lines that give a terminal the same environment, and the config file to name."""
    variables = {**workspace.variables, "COLO_CONFIG_FILE": str(workspace.config_file)}
    return [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
