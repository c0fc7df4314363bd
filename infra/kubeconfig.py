"""Which cluster is meant: found out before the first resource, so that its absence is one sentence."""

import os
from collections.abc import Mapping
from pathlib import Path

_DEFAULT = Path("~/.kube/config")
_IN_CLUSTER = "KUBERNETES_SERVICE_HOST"


class NoKubeconfigError(Exception):
    """No kubeconfig is where it is looked for."""


def require(environment: Mapping[str, str] = os.environ) -> None:
    """Raise NoKubeconfigError where Pulumi's provider would fail on a path; inside a cluster none is needed.

    KUBECONFIG may name several files, of which one must exist, as for kubectl.
    """
    named = environment.get("KUBECONFIG", "")
    files = [Path(file) for file in named.split(os.pathsep) if file] or [_DEFAULT.expanduser()]
    if any(file.is_file() for file in files) or (not named and _IN_CLUSTER in environment):
        return
    if named:
        raise NoKubeconfigError(
            f"KUBECONFIG is {named}, and no such file is there; write the path of one that is"
        )
    raise NoKubeconfigError(f"no kubeconfig: {files[0]} is not there; set KUBECONFIG to the path of one")
