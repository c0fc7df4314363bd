"""Grafana: that it runs, and why it does not let people in. Its Secret is not read."""

import re
from collections.abc import Iterator

from infra.cluster.objects import Object, labels_of, selects
from infra.cluster.pods import Pod
from infra.doctor.case import Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.doctor.rules.pods import ailment
from infra.vocabulary import APP_NAME_LABEL, GRAFANA_ADMIN_SECRET

GRAFANA = "grafana"
"""Its container, and the value of its name label."""
_REFUSED = re.compile(r"password-auth\.failed|invalid username or password", re.IGNORECASE)


def check(case: Case) -> Iterator[Diagnosis]:
    """Each Grafana of the monitoring namespace."""
    for deployment in deployments(case):
        namespace, name = deployment["metadata"]["namespace"], deployment["metadata"]["name"]
        found = pods(case, deployment)
        if not (deployment.get("status") or {}).get("readyReplicas"):
            fault = next((f for pod in found if (f := ailment(case, pod)) is not None), None)
            yield Diagnosis(
                code="grafana-down",
                object=f"Deployment {namespace}/{name}",
                breaks_at="current",
                cause="Grafana is down" + (f": {fault.cause}" if fault else ", no pod of it is ready"),
                fix=fault.fix
                if fault
                else f"kubectl describe pods -n {namespace} -l {APP_NAME_LABEL}={GRAFANA}",
                evidence=(Evidence("current", "0 ready"), *(fault.evidence if fault else ())),
            )
            continue
        for pod in found:
            refusals = [
                line for line in case.log(namespace, pod.name, GRAFANA).lines if _REFUSED.search(line)
            ]
            if refusals:
                yield Diagnosis(
                    severity="warning",
                    code="grafana-refuses-login",
                    object=f"Deployment {namespace}/{name}",
                    breaks_at="logs",
                    cause="Grafana refuses a password: it keeps the one that it had at its first start, "
                    f"whatever the Secret {GRAFANA_ADMIN_SECRET} says since",
                    fix="pulumi stack output grafana_password --show-secrets; if that one is refused: "
                    f"kubectl exec -n {namespace} deploy/{name} -c {GRAFANA} -- grafana cli admin "
                    "reset-admin-password THAT-ONE",
                    evidence=(Evidence("logs", refusals[-1][:200]),),
                )
                break


def deployments(case: Case) -> list[Object]:
    """Those of the monitoring stack's namespace."""
    monitoring = case.stack.monitoring
    return [
        item
        for item in case.state.of("deployments")
        if monitoring is not None
        and item["metadata"].get("namespace") == monitoring.namespace
        and labels_of(item).get(APP_NAME_LABEL) == GRAFANA
    ]


def pods(case: Case, deployment: Object) -> list[Pod]:
    """The pods of a Deployment."""
    namespace, selector = deployment["metadata"]["namespace"], deployment["spec"].get("selector")
    return [p for p in case.state.pods or () if p.namespace == namespace and selects(selector, p.labels)]
