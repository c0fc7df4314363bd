"""Who the training runs as."""

from infra.models.base import Count, Flag, Model


class SecuritySpec(Model):
    """Security context of the pods. The defaults are what the `restricted` Pod Security level demands."""

    run_as_non_root: Flag = True
    """false: the image may run as root; only in a tenant whose level is not `restricted`."""
    run_as_user: Count | None = 1000
    """User id. null: the image's own."""
    run_as_group: Count | None = 1000
    """Group id. null: the image's own."""
    fs_group: Count | None = 1000
    """Group that may write to the volumes. null: none."""
    read_only_root_filesystem: Flag = False
    """The container may write to its volumes only."""
