"""Which cluster this is about, and a client for it: the one that the stack's resources go to."""

import os
from typing import Any


class NoClusterError(Exception):
    """There is no usable way to a cluster; the text says why, and what to set."""


def connect() -> Any:
    """An `ApiClient` of the `kubernetes` package; nothing has been asked of the server yet.

    Read at each run, as Pulumi's Kubernetes provider does: KUBECONFIG and its current context, else
    the pod's own account. The package is imported here: it takes a third of a second.
    """
    import urllib3
    from kubernetes import client, config

    # Empty is unset, as for kubectl; the library takes neither for its default.
    kubeconfig = os.environ.get("KUBECONFIG") or "~/.kube/config"
    load: Any = config  # its functions bear no types
    access = client.Configuration()
    access.retries = 1
    try:
        load.load_kube_config(kubeconfig, client_configuration=access)
    except Exception as fault:  # a file that is no kubeconfig fails in as many ways as files do
        try:
            load.load_incluster_config(client_configuration=access)
        except config.ConfigException:
            raise NoClusterError(f"no cluster to talk to: {_line(fault)}; set KUBECONFIG") from None
    if not access.verify_ssl:  # the kubeconfig says so; kubectl does not nag either
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    try:
        return client.ApiClient(access)
    except (OSError, ValueError) as fault:  # of ssl: a certificate or key that is none
        raise NoClusterError(
            f"the kubeconfig's certificates cannot be used: {_line(fault)}; set KUBECONFIG"
        ) from None


def _line(fault: Exception) -> str:
    return " ".join(str(fault).split()) or type(fault).__name__
