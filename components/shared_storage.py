"""A volume that many pods write at once: data, checkpoints, models."""

from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.core.v1 import (
    NFSVolumeSourceArgs,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpecArgs,
    PersistentVolumeSpecArgs,
    VolumeResourceRequirementsArgs,
)
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.base import Component
from infra.models import StorageSpec

# A class that binds with the first pod leaves the claim pending until a job runs: not awaited.
_NOT_AWAITED = {"pulumi.com/skipAwait": "true"}


@dataclass(frozen=True, kw_only=True)
class SharedStorageArgs:
    """A claim, and the namespace that its tenant gives."""

    spec: StorageSpec
    namespace: pulumi.Input[str]


class SharedStorage(Component):
    """A claim, by StorageClass or on an NFS server. Deleting it deletes data."""

    claim_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: SharedStorageArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("colocation:storage:SharedStorage", name, opts)
        spec = args.spec
        volume = self._volume(name, args) if spec.nfs else None
        claim = PersistentVolumeClaim(
            f"{name}-claim",
            metadata=ObjectMetaArgs(name=spec.name, namespace=args.namespace, annotations=_NOT_AWAITED),
            spec=PersistentVolumeClaimSpecArgs(
                access_modes=[spec.access_mode],
                resources=VolumeResourceRequirementsArgs(requests={"storage": spec.size}),
                # "": no class at all, so that no default class makes a volume of its own.
                storage_class_name=spec.storage_class or "",
                volume_name=volume.metadata["name"] if volume else None,
            ),
            opts=self._kept(spec),
        )
        self.claim_name = claim.metadata["name"]
        self.register_outputs({"claim_name": self.claim_name})

    def _volume(self, name: str, args: SharedStorageArgs) -> PersistentVolume:
        spec = args.spec
        assert spec.nfs is not None
        return PersistentVolume(
            f"{name}-volume",
            # Volumes have no namespace, so two tenants' claims of one name need two names here.
            metadata=ObjectMetaArgs(name=f"{spec.tenant}-{spec.name}", annotations=_NOT_AWAITED),
            spec=PersistentVolumeSpecArgs(
                access_modes=[spec.access_mode],
                capacity={"storage": spec.size},
                nfs=NFSVolumeSourceArgs(server=spec.nfs.server, path=spec.nfs.path),
                persistent_volume_reclaim_policy="Retain",
                storage_class_name="",
            ),
            opts=self._kept(spec),
        )

    def _kept(self, spec: StorageSpec) -> pulumi.ResourceOptions:
        return self.child(protect=spec.protect)
