"""Storage: classes that are there and can be shared, and claims that can become what the stack says."""

from collections.abc import Iterator
from difflib import get_close_matches

from infra.checks.findings import Finding
from infra.live.snapshot import FoundStorageClass, Snapshot
from infra.models import Stack
from infra.models.quantities import amount

_ONE_NODE = (
    # Disks that a cloud attaches to one node.
    "blockvolume.csi.oraclecloud.com",
    "cinder.csi.openstack.org",
    "com.tencent.cloud.csi.cbs",
    "csi.hetzner.cloud",
    "disk.csi.azure.com",
    "diskplugin.csi.alibabacloud.com",
    "dobs.csi.digitalocean.com",
    "ebs.csi.aws.com",
    "ebs.csi.eks.amazonaws.com",
    "kubernetes.io/aws-ebs",
    "kubernetes.io/azure-disk",
    "kubernetes.io/cinder",
    "kubernetes.io/gce-pd",
    "linodebs.csi.linode.com",
    "pd.csi.storage.gke.io",
    "vpc.block.csi.ibm.io",
    # Disks of the node itself.
    "local.csi.openebs.io",
    "openebs.io/local",
    "rancher.io/local-path",
    "topolvm.cybozu.com",
    "topolvm.io",
    "zfs.csi.openebs.io",
)
"""Provisioners of disks: a file system on one is mounted on one node at a time."""
_ONE_NODE_ENDINGS = (".rbd.csi.ceph.com",)
"""Of provisioners whose name begins with that of their operator's namespace."""


def check(stack: Stack, snapshot: Snapshot) -> Iterator[Finding]:
    """The class of each claim, and each claim that is there already."""
    yield from _claims(stack, snapshot)
    if snapshot.storage_classes is None:
        return
    found = {found.name: found for found in snapshot.storage_classes}
    for i, storage in enumerate(stack.storage):
        if storage.storage_class is None:
            continue
        if storage.storage_class not in found:
            near = get_close_matches(storage.storage_class, found, n=1)
            known = (
                f"write one of {', '.join(sorted(found))}" if found else "have one made, or give nfs instead"
            )
            yield Finding(
                code="storage-class-absent",
                place=("storage", i, "storage_class"),
                message=f"the cluster has no StorageClass {storage.storage_class}, so the claim would wait",
                remedy=f"write {near[0]}" if near else known,
            )
        elif _is_for_one_node(found[storage.storage_class]):
            yield Finding(
                severity="warning",
                code="storage-class-not-shared",
                place=("storage", i, "storage_class"),
                message=f"volumes of {found[storage.storage_class].provisioner} are for one node at a time, "
                "and the claim is ReadWriteMany",
                remedy="write a class of shared file systems, such as NFS or CephFS",
            )


def _claims(stack: Stack, snapshot: Snapshot) -> Iterator[Finding]:
    """https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims"""
    there = {(claim.namespace, claim.name): claim for claim in snapshot.claims or ()}
    for i, storage in enumerate(stack.storage):
        found = there.get((storage.tenant, storage.name))
        if found is None:
            continue
        if amount(storage.size) < amount(found.size):
            yield Finding(
                code="claim-would-shrink",
                place=("storage", i, "size"),
                message=f"the claim is there with {found.size}, and no claim becomes smaller",
                remedy=f"write {found.size} or more, or give a new claim another name",
            )
        class_changes = storage.storage_class is not None and storage.storage_class != found.storage_class
        for field, was, changes in (
            ("storage_class", found.storage_class or "none", class_changes),
            ("access_mode", ", ".join(found.access_modes), (storage.access_mode,) != found.access_modes),
        ):
            if changes:
                yield Finding(
                    code="claim-would-be-replaced",
                    place=("storage", i, field),
                    message=f"the claim is there with {was}, which cannot be changed in place",
                    remedy=f"write {was}, or give a new claim another name",
                )


def _is_for_one_node(found: FoundStorageClass) -> bool:
    return found.provisioner in _ONE_NODE or f".{found.provisioner}".endswith(_ONE_NODE_ENDINGS)
