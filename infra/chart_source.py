"""Whether a chart can be fetched: asked before the provider tries, which would say less."""

import ssl
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from infra.models import Stack
from infra.models.charts import ChartSpec
from infra.versions import KUEUE_CHART_SOURCE, MONITORING_CHART_REPOSITORY

_SECONDS = 20
_OCI = "oci://"


class NoChartError(Exception):
    """The chart cannot be fetched; the text says why, and what to do."""


def require_charts(stack: Stack) -> None:
    """Raise NoChartError where the repository or registry of a chart to install does not answer.

    Nothing is fetched: Helm does that, with the logins of this machine, so that a registry which asks who
    is there is fine. A chart beside the stack is looked at by the checks.
    """
    if stack.monitoring is not None and stack.monitoring.install:
        _require("monitoring", stack.monitoring.chart, MONITORING_CHART_REPOSITORY)
    if stack.queueing is not None and stack.queueing.install:
        _require("queueing", stack.queueing.chart, KUEUE_CHART_SOURCE)


def _require(part: str, chart: ChartSpec, public: str) -> None:
    if chart.path is not None:
        return
    source = chart.source or public
    if fault := _fault(source):
        raise NoChartError(
            f"{part}.chart: the chart cannot be fetched from {source} ({fault}); "
            f"mend the network or its proxy, or set {part}.chart.source to a repository or an oci:// "
            "mirror that answers, to an archive (.tgz), or to a directory beside the stack"
        )


def _fault(source: str) -> str | None:
    try:
        with urlopen(Request(_page(source), method="HEAD"), timeout=_SECONDS):
            return None
    except HTTPError as answer:
        refused = answer.code in (404, 410) or answer.code >= 500
        return f"HTTP {answer.code}" if refused and not source.startswith(_OCI) else None
    except URLError as fault:
        return _said(fault.reason)
    except (OSError, HTTPException, ValueError) as fault:
        return _said(fault)


def _page(source: str) -> str:
    """What every repository and every registry has."""
    if source.startswith(_OCI):
        return f"https://{urlsplit(source).netloc}/v2/"
    return f"{source.rstrip('/')}/index.yaml"


def _said(fault: object) -> str:
    if isinstance(fault, ssl.SSLCertVerificationError):
        return f"its certificate: {fault.verify_message}"
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror
    return str(fault) or type(fault).__name__
