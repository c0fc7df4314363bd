"""The operator's own examples, where its module is in the cache."""

import subprocess
from pathlib import Path

import pytest

from sandbox import gomod

MODULE = "github.com/kubeflow/training-operator"


@pytest.fixture(scope="session")
def operator_module():
    """The operator's source at the version that the sandbox builds."""
    done = subprocess.run(["go", "env", "GOMODCACHE"], capture_output=True, text=True, check=False)
    version = gomod.version("training-operator", MODULE)
    folder = Path(done.stdout.strip()) / f"{MODULE}@{version}"
    if not folder.is_dir():
        pytest.skip(f"{folder} is absent; `colo sandbox build` fetches it")
    return folder
