"""Pieces of PromQL that several rules consist of."""

from collections.abc import Iterable
from typing import Final

POD_WORKLOAD: Final = "colocation:pod_workload"
"""1 for each pod of a class of the stack: labels namespace, pod, node, workload (online or offline), and
tfjob where one owns the pod."""


def one_of(values: Iterable[str]) -> str:
    """A pattern for a matcher. Names of Kubernetes hold nothing that a pattern reads otherwise but dots."""
    return "|".join(value.replace(".", "[.]") for value in values)


def pod_workload(offline: Iterable[str], online: Iterable[str]) -> str:
    """The expression behind POD_WORKLOAD, by the names of priority classes."""
    kinds = (("offline", one_of(offline)), ("online", one_of(online)))
    # What two instances of kube-state-metrics have said of a pod stands side by side for some minutes: one
    # series a pod is taken, and one with a node before one without.
    pods = "\n    or on (namespace, pod) ".join(
        f'label_replace(kube_pod_info{{priority_class=~"{names}", {node}}}, "workload", "{kind}", "", "")'
        for node in ('node!=""', 'node=""')
        for kind, names in kinds
        if names
    )
    return f"""max by (namespace, pod, node, workload, tfjob) (topk by (namespace, pod) (1,
  label_replace(label_join(
    {pods},
    "owner", "/", "created_by_kind", "created_by_name"), "tfjob", "$1", "owner", "TFJob/(.+)"
  )
))"""


def of_workload(expr: str, kind: str | None = None) -> str:
    """Pods of the stack's classes, with labels that say which, of which job, and on which node.

    By the node, Alertmanager keeps silent what the loss of a node does to its pods.
    """
    only = f'{{workload="{kind}"}}' if kind else ""
    return f"""(
{indent(expr)}
)
* on (namespace, pod) group_left (node, tfjob, workload) {POD_WORKLOAD}{only}"""


def pods_of_jobs(of: str = "") -> str:
    """1 for each pod that belongs to a TFJob; `of` are matchers of pods, each with a comma behind it."""
    owned = f'kube_pod_info{{{of}created_by_kind="TFJob"}}'
    return (
        f'max by (namespace, pod, tfjob) (label_replace({owned}, "tfjob", "$1", "created_by_name", "(.+)"))'
    )


def made_for_a_run(window: str, of: str = "") -> str:
    """Something for each pod, by its uid, that was made for the present run of its job, also if it is gone.

    A preempted pod is gone with all its metrics, and the next of its name has another uid. So has the pod
    of a job that was declared anew: those from before the job are not counted.
    """
    ever = f"max by (namespace, pod, uid) (last_over_time(kube_pod_created{{{of}}}[{window}]))"
    return f"""(
  {ever}
  * on (namespace, pod) group_left (tfjob) {pods_of_jobs(of)}
  >= on (namespace, tfjob) group_left () max by (namespace, tfjob) (kube_tfjob_created{{{of}}})
)"""


def at_node(expr: str, *labels: str) -> str:
    """What node-exporter says, by the node's name instead of the exporter's pod."""
    by = ", ".join(("node", *labels))
    return f"""max by ({by}) (
  (
{indent(indent(expr))}
  )
  * on (namespace, pod) group_left (node) max by (namespace, pod, node) (kube_pod_info{{node!=""}})
)"""


def indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
