"""How Pulumi is run against the sandbox."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from sandbox import network, pulumi
from tests.sandbox.conftest import Script


@pytest.fixture
def workspace(machine: Path) -> pulumi.Workspace:
    return pulumi.Workspace(
        variables={},
        config_file=machine / "Pulumi.dev.yaml",
        backend=machine / "backend",
        kubectl=machine / "kubectl",
        policy_pack=machine / "policy",
        project=machine,
    )


def locked(workspace: pulumi.Workspace, *contents: str) -> None:
    folder = workspace.backend / ".pulumi" / "locks" / "organization" / "colocation" / pulumi.STACK
    folder.mkdir(parents=True)
    for number, content in enumerate(contents):
        (folder / f"{number}.json").write_text(content)


def calls(machine: Path) -> list[str]:
    record = machine / "calls"
    return record.read_text().split() if record.exists() else []


# Pid 1 is alive everywhere, and no Pulumi: so is a stranger that got the pid of a killed one.
@pytest.mark.parametrize("content", ['{"pid": 1}', '{"pid": 999999999}', "", "{half a lo", "[]", "{}"])
def test_the_lock_of_a_killed_pulumi_is_removed(
    content: str, machine: Path, script: Script, workspace: pulumi.Workspace
) -> None:
    script("pulumi", f'echo "$1" >> {machine}/calls')
    locked(workspace, content)
    workspace.release_stale_lock()
    assert calls(machine) == ["cancel"]


def test_no_lock_is_removed_while_a_pulumi_runs(
    machine: Path, script: Script, workspace: pulumi.Workspace
) -> None:
    script("pulumi", f'echo "$1" >> {machine}/calls')
    running = subprocess.Popen([script("folder/pulumi", "sleep 300; :")])
    try:
        while "pulumi" not in Path(f"/proc/{running.pid}/comm").read_text():
            time.sleep(0.01)
        locked(workspace, json.dumps({"pid": running.pid}), "{half a lo")
        workspace.release_stale_lock()
        assert calls(machine) == []
    finally:
        running.kill()
        running.wait()


def test_what_the_last_update_did_comes_from_pulumis_history(
    machine: Path, script: Script, workspace: pulumi.Workspace
) -> None:
    script("pulumi", 'echo "[{\\"resourceChanges\\": {\\"same\\": 3, \\"create\\": 1}}]"')
    assert workspace.last_changes() == {"same": 3, "create": 1}
    script("pulumi", "echo '[]'")
    assert workspace.last_changes() == {}


def test_the_stacks_key_is_kept_and_the_committed_config_is_followed(machine: Path) -> None:
    file = machine / "Pulumi.dev.yaml"
    file.write_text("encryptionsalt: v1:x\nconfig: {colocation:gone: 1}\n")
    pulumi._copy_config(file, machine / "overlay")
    written = yaml.safe_load(file.read_text())
    assert written["encryptionsalt"] == "v1:x"
    assert written["config"] == {pulumi.OPERATOR_SOURCE_KEY: str(machine / "overlay")}
    assert [path.name for path in machine.glob("Pulumi.*")] == ["Pulumi.dev.yaml"]


def test_an_interrupted_command_waits_for_pulumis_own_end(machine: Path, script: Script) -> None:
    script("pulumi", f"touch {machine}/started; sleep 1; touch {machine}/ended")
    code = (
        "from pathlib import Path; from sandbox import pulumi\n"
        "p = Path('.')\n"
        "places = dict.fromkeys(('config_file', 'backend', 'kubectl', 'policy_pack', 'project'), p)\n"
        "pulumi.Workspace(variables={}, **places).run('up')"
    )
    environment = {**os.environ, "PYTHONPATH": str(pulumi.paths.CHECKOUT)}
    running = subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.DEVNULL)
    while not (machine / "started").exists():
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    running.wait()
    assert (machine / "ended").exists()


def test_the_sandbox_is_never_behind_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://192.0.2.1:3128")
    monkeypatch.setenv("NO_PROXY", "corp.example")
    assert "HTTPS_PROXY" not in network.direct_environment()
    assert network.no_proxy()["NO_PROXY"] == f"corp.example,{network.POD_CIDR},{network.SERVICE_CIDR}"
