"""Shared volumes for data, checkpoints and models."""

from collections.abc import Iterator
from typing import Literal

from infra.models.base import Fault, Flag, Model
from infra.models.names import AbsolutePath, DnsLabel, Host, ObjectName
from infra.models.quantities import Size


class NfsSpec(Model):
    """A directory that an NFS server exports."""

    server: Host
    path: AbsolutePath


class StorageSpec(Model):
    """A claim in a tenant's namespace."""

    name: DnsLabel
    """Also the claim's name."""
    tenant: DnsLabel
    size: Size
    storage_class: ObjectName | None = None
    """A StorageClass that serves the access mode. Either this or `nfs`."""
    nfs: NfsSpec | None = None
    """A volume on an NFS server. Either this or `storage_class`."""
    access_mode: Literal["ReadWriteMany", "ReadWriteOnce"] = "ReadWriteMany"
    """ReadWriteOnce: pods of one node at a time, as with a disk of a cloud."""
    protect: Flag = True
    """Refuse to delete the claim, by `destroy` too (use `--exclude-protected`)."""

    def faults(self) -> Iterator[Fault]:
        if (self.storage_class is None) == (self.nfs is None):
            which = "neither" if self.nfs is None else "both"
            yield (), f"{which} of storage_class and nfs given; give exactly one"
