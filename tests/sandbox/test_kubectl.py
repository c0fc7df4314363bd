"""kubectl is asked in one way."""

from __future__ import annotations

import pytest

from sandbox import kubectl, paths
from sandbox.errors import SandboxError
from tests.sandbox.conftest import Script


def test_it_talks_to_the_sandbox_whatever_the_environment_says(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://192.0.2.1:3128")
    program = script("kubectl", 'echo "$@ [$HTTPS_PROXY] $(cat)"')
    said = kubectl.output(program, "apply", "-f", "-", stdin="kind: Node")
    assert said == f"--kubeconfig={paths.kubeconfig()} apply -f - [] kind: Node\n"


def test_a_refusal_is_told_in_its_own_words(script: Script) -> None:
    program = script("kubectl", "echo 'forbidden' >&2; exit 1")
    with pytest.raises(SandboxError, match="`kubectl get nodes` failed: forbidden"):
        kubectl.output(program, "get", "nodes")
    assert not kubectl.succeeds(program, "get", "nodes")
    assert kubectl.run(program, "get", "nodes").stderr == "forbidden\n"
