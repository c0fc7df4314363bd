"""What a run of the program needs beside its stack file."""

from components.cluster_access import NoClusterError, require_kubeconfig
from infra.chart_source import NoChartError, require_charts
from infra.models import Stack


class UnmetError(Exception):
    """One of them is not there; the text says which, and what to do."""


def require(stack: Stack) -> None:
    """A way to the cluster, and the charts to install where there are some; raises UnmetError."""
    try:
        require_kubeconfig()
        require_charts(stack)
    except (NoClusterError, NoChartError) as error:
        raise UnmetError(str(error)) from None
