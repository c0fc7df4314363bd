"""The training operator: one, and installed by whom the stack says.

Two operators each make pods for every job: https://github.com/kubeflow/trainer/issues/1777.
"""

from collections.abc import Iterator

from infra.checks.findings import Finding
from infra.live.controllers import unserved
from infra.live.snapshot import FoundCrd, FoundOperator, Snapshot
from infra.models import Stack, TrainingOperatorSpec
from infra.vocabulary import TFJOB_CRD, TRAINING_OPERATOR

_INSTALL = ("training_operator", "install")
_NAMESPACE = ("training_operator", "namespace")
_VERSION = "v1"


def check(stack: Stack, snapshot: Snapshot) -> Iterator[Finding]:
    """The operators that run, then the definition of TFJobs."""
    spec = stack.training_operator
    found = None if snapshot.operators is None else (*snapshot.operators, *_behind_webhooks(snapshot))
    foreign = list(_installed(spec, found or ())) if spec.install else []
    yield from foreign
    if not spec.install and found is not None:
        yield from _attached(stack, [operator for operator in found if operator.serves_tfjobs])
    if snapshot.crds is not None:
        yield from _definition(spec, snapshot.crds, bool(foreign))


def _behind_webhooks(snapshot: Snapshot) -> Iterator[FoundOperator]:
    """Operators that answer for TFJobs under a name that tells nothing."""
    known = {operator.namespace for operator in snapshot.operators or ()}
    for webhook in snapshot.webhooks:
        if webhook.ready and webhook.of_an_operator and webhook.namespace not in known:
            known.add(webhook.namespace)
            yield FoundOperator(
                kind="Service",
                namespace=webhook.namespace,
                name=webhook.service,
                ready=1,
                serves_tfjobs=True,
                watches=None,
                others=webhook.others,
            )


def _installed(spec: TrainingOperatorSpec, found: tuple[FoundOperator, ...]) -> Iterator[Finding]:
    """`install: true`: nothing but the stack's own is there."""
    declared = (spec.namespace, TRAINING_OPERATOR)
    own = [o for o in found if (o.namespace, o.name) == declared and not o.others]
    for operator in found:
        if operator.others:
            clash = "run each job" if operator.serves_tfjobs else "own cluster-wide objects of the same names"
            yield Finding(
                code="operator-of-others",
                place=_INSTALL,
                message=f"a training operator of {' and '.join(operator.others)} is there already, "
                f"{operator}, and two would both {clash}",
                remedy=f"write install: false and namespace: {operator.namespace}, or have that one removed",
            )
        elif operator not in own:
            # Without its own beside it, it may be this stack's, about to move to another namespace.
            yield Finding(
                severity="fault" if own else "warning",
                code="two-operators",
                place=_NAMESPACE,
                message=f"a training operator of a stack of this program is {operator}, and this stack "
                f"{'has' if own else 'installs'} one in {spec.namespace}",
                remedy="keep one; another stack attaches to it with install: false",
            )


def _attached(stack: Stack, found: list[FoundOperator]) -> Iterator[Finding]:
    """`install: false`: one is there, where the stack says, and sees the jobs."""
    spec = stack.training_operator
    if len(found) > 1:
        yield Finding(
            code="two-operators",
            place=_INSTALL,
            message=f"{len(found)} training operators would each run every job: {', '.join(map(str, found))}",
            remedy="have all but one removed",
        )
        return
    message = "no training operator runs in the cluster, so no job would start"
    yield from unserved(found, code="operator-absent", place=_INSTALL, message=message)
    for operator in found:
        if operator.namespace != spec.namespace:
            yield Finding(
                code="operator-elsewhere",
                place=_NAMESPACE,
                message=f"the training operator is {operator}, not in {spec.namespace}",
                remedy=f"write {operator.namespace}",
            )
        for i, job in enumerate(stack.jobs):
            if operator.watches not in (None, job.tenant):
                yield Finding(
                    code="operator-watches-elsewhere",
                    place=("jobs", i, "tenant"),
                    message=f"the training operator runs jobs of the namespace {operator.watches} alone",
                    remedy=f"have {operator} started without --namespace",
                )


def _definition(spec: TrainingOperatorSpec, crds: tuple[FoundCrd, ...], told: bool) -> Iterator[Finding]:
    if not crds and not spec.install:
        yield Finding(
            code="crd-absent",
            place=_INSTALL,
            message=f"the cluster has no CRD {TFJOB_CRD}, so it takes no TFJob",
            remedy="write install: true, or have the operator's manifests applied",
        )
    for crd in crds:
        old = [version for version in crd.stored if version != _VERSION]
        if spec.install and old:
            yield Finding(
                code="crd-of-old-version",
                place=_INSTALL,
                message=f"the CRD {TFJOB_CRD} of the cluster stores {' and '.join(old)}, no longer served",
                remedy="have the old operator's jobs and its CRD removed first",
            )
        elif not spec.install and _VERSION not in crd.served:
            yield Finding(
                code="crd-of-old-version",
                place=_INSTALL,
                message=f"the CRD {TFJOB_CRD} serves {' and '.join(crd.served) or 'nothing'}, not {_VERSION}",
                remedy="have an operator of v1.4 or newer installed",
            )
        elif spec.install and crd.others and not told:
            yield Finding(
                severity="warning",
                code="crd-of-others",
                place=_INSTALL,
                message=f"this stack takes over the CRD {TFJOB_CRD} from {' and '.join(crd.others)}",
                remedy="see that nothing there applies it any more; else write install: false",
            )
