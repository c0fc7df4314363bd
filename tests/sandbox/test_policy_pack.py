"""The policy pack is started by the engine through a program of the sandbox's own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import yaml

from sandbox import paths, policy_pack
from tests.sandbox.conftest import Script


def test_the_program_of_the_packs_runtime_starts_the_pack(machine: Path, script: Script) -> None:
    folder = machine / "policy"
    policy_pack.write(folder)
    runtime = yaml.safe_load((folder / "PulumiPolicy.yaml").read_text())["runtime"]
    python = script("python3", 'echo "$@"')
    done = subprocess.run(
        [folder / f"pulumi-analyzer-policy-{runtime}", "127.0.0.1:1234", "."],
        env={"PATH": f"{python.parent}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [
        "-u",
        "-m",
        "pulumi.policy",
        "127.0.0.1:1234",
        str(paths.CHECKOUT / "policy"),
    ]


def test_the_pack_that_a_current_pulumi_starts_is_one_in_python() -> None:
    project = yaml.safe_load((paths.CHECKOUT / "policy" / "PulumiPolicy.yaml").read_text())
    assert project["runtime"] == "python"
