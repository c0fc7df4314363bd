"""What is mounted into the pods of a job."""

from collections.abc import Iterator

from infra.models.base import Fault, Flag, Model, exactly_one
from infra.models.names import AbsolutePath, DnsLabel, ObjectName, RelativePath
from infra.models.quantities import Memory


class EmptyDirSpec(Model):
    """Scratch space that lives as long as the pod."""

    size_limit: Memory | None = None
    """Bytes; a pod that writes more is evicted."""
    in_memory: Flag = False
    """A RAM disk; what it holds counts as memory of the containers. TensorFlow's /dev/shm needs this."""


class VolumeSpec(Model):
    """One thing mounted into every pod of the job: exactly one of the five sources."""

    mount_path: AbsolutePath
    claim: DnsLabel | None = None
    """A claim of the stack's `storage`."""
    existing_claim: ObjectName | None = None
    """A claim of the namespace that this stack does not declare."""
    config_map: ObjectName | None = None
    """A ConfigMap of the namespace, a file a key."""
    secret: ObjectName | None = None
    """A Secret of the namespace, a file a key."""
    empty_dir: EmptyDirSpec | None = None
    """Scratch space of each pod's own."""
    sub_path: RelativePath | None = None
    """Mount only this folder or file of it."""
    read_only: Flag = False

    def faults(self) -> Iterator[Fault]:
        yield from exactly_one(self, "claim", "existing_claim", "config_map", "secret", "empty_dir")
