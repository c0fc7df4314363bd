"""What every component shares: how its children are parented and ordered."""

from typing import Any

import pulumi


class Component(pulumi.ComponentResource):
    """A group of resources with one owner. Children always take `opts=self.child(...)`."""

    def __init__(self, token: str, name: str, opts: pulumi.ResourceOptions | None) -> None:
        super().__init__(token, name, None, opts)
        self._after = opts.depends_on if opts else None

    def child(self, **options: Any) -> pulumi.ResourceOptions:
        """Options for a child: this parent, and whatever this component waits for.

        The engine hands provider, protect and the like down to children, but not
        depends_on. Without this, a destroy may remove an operator before its jobs.
        """
        inherited = pulumi.ResourceOptions(parent=self, depends_on=self._after)
        return pulumi.ResourceOptions.merge(inherited, pulumi.ResourceOptions(**options))
