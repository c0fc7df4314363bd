"""The training operator, from the upstream overlay; TFJobs wait until its webhook answers."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pulumi
from pulumi_kubernetes.core.v1 import Namespace
from pulumi_kubernetes.kustomize.v2 import Directory
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.networking.v1 import NetworkPolicy

from components.base import Component
from components.rendering.crds import without_descriptions
from components.rendering.network_policies import operator_policy
from components.rendering.operator_kustomization import operator_files
from components.rendering.pod_security import pod_security_labels
from infra.models import TrainingOperatorSpec
from infra.versions import TRAINING_OPERATOR_SOURCE
from infra.vocabulary import TRAINING_OPERATOR

_PROJECT = Path(__file__).resolve().parents[1]
_READY_WITHIN = "5m"  # its image is pulled, and the kubelet may take a minute to show it its Secret
_CRD = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
_AWAITED = ("kubernetes:apps/v1:Deployment", "kubernetes:core/v1:Service")
_SECRET = "kubernetes:core/v1:Secret"


@dataclass(frozen=True, kw_only=True)
class TrainingOperatorArgs:
    """Where the operator runs and what is written for it."""

    spec: TrainingOperatorSpec
    stack_name: str
    namespace: pulumi.Input[str] | None = None
    """Of the tenant that owns the namespace; None: nobody does."""
    monitoring_namespace: str | None = None
    """Of the Prometheus that scrapes it, if any does."""
    crd_provider: pulumi.ProviderResource | None = None
    """Creates over what is there. The CRD outlives the stack, and comes back with the next `up`."""
    work_folder: Path = _PROJECT / ".colocation"
    """Where kustomizations are written; nothing in it is kept by hand."""


class TrainingOperator(Component):
    """One operator for all tenants. Jobs depend on it, so that they are gone before it goes."""

    def __init__(
        self, name: str, args: TrainingOperatorArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("colocation:training:TrainingOperator", name, opts)
        before: list[pulumi.Resource] = []
        namespace = args.namespace
        if namespace is None and args.spec.install:
            made = self._own_namespace(name, args.spec)
            before.append(made)
            namespace = made.metadata["name"]
        if namespace is not None:
            # Also beside an operator of someone else's: the tenant's namespace denies by default.
            before.append(
                NetworkPolicy(
                    f"{name}-traffic",
                    metadata=ObjectMetaArgs(name=TRAINING_OPERATOR, namespace=namespace),
                    spec=operator_policy(args.monitoring_namespace),
                    opts=self.child(),
                )
            )
        if args.spec.install:
            Directory(
                f"{name}-manifests",
                directory=_written(args),
                resource_prefix=name,
                opts=self.child(depends_on=before, transforms=[_options(args.crd_provider)]),
            )
        self.register_outputs({})

    def _own_namespace(self, name: str, spec: TrainingOperatorSpec) -> Namespace:
        return Namespace(
            f"{name}-namespace",
            metadata=ObjectMetaArgs(name=spec.namespace, labels=pod_security_labels("restricted")),
            opts=self.child(),
        )


def _options(crd_provider: pulumi.ProviderResource | None) -> pulumi.ResourceTransform:
    """Options that a kustomization cannot say, for the objects that come out of it."""

    def transform(
        args: pulumi.ResourceTransformArgs,
    ) -> pulumi.ResourceTransformResult | None:
        extra, props = pulumi.ResourceOptions(), args.props
        if args.type_ == _SECRET:
            # The operator fills in its certificate; a Secret made empty anew breaks its webhook.
            extra.ignore_changes = ["data"]
        elif args.type_ == _CRD:
            # Deleting the CRD deletes every TFJob of the cluster, those of others too.
            extra.retain_on_delete = True
            extra.provider = crd_provider
            props = {**props, "spec": without_descriptions(props["spec"])}
        elif args.type_ in _AWAITED:
            extra.custom_timeouts = pulumi.CustomTimeouts(create=_READY_WITHIN, update=_READY_WITHIN)
        else:
            return None
        return pulumi.ResourceTransformResult(props, pulumi.ResourceOptions.merge(args.opts, extra))

    return transform


def _written(args: TrainingOperatorArgs) -> str:
    """Write the kustomization; its folder, relative to where the program runs."""
    folder = args.work_folder / args.stack_name / TRAINING_OPERATOR
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder, operator_files(args.spec, overlay_from(args.spec.source, folder)))
    return os.path.relpath(folder)


def overlay_from(source: str | None, folder: Path) -> str:
    """Where the upstream overlay is, as a kustomization in `folder` has to spell it.

    Raises:
        pulumi.RunError: the directory is not an overlay.
    """
    if source is None:
        return TRAINING_OPERATOR_SOURCE
    if "://" in source or source.startswith(("git@", "github.com/")):
        return source
    overlay = _PROJECT / Path(source).expanduser()
    if not (overlay / "kustomization.yaml").is_file():
        raise pulumi.RunError(
            f"training_operator.source: {source} has no kustomization.yaml; "
            "give the directory manifests/overlays/standalone of the training operator"
        )
    return os.path.relpath(overlay.resolve(), folder.resolve())


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Each file whole or not at all: a preview and an update may run side by side."""
    for name, text in files.items():
        file = folder / name
        if file.is_file() and file.read_text("utf-8") == text:
            continue
        half = folder / f".{name}.{os.getpid()}"
        half.write_text(text, "utf-8")
        half.replace(file)
