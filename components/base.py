"""What every component shares: how its children are parented, ordered and owned."""

from collections.abc import Mapping
from typing import Any

import pulumi

from components.rendering.objects import stated
from infra.vocabulary import STACK_MANAGER_PREFIX

# Without it the provider makes up a new name for each object that is not in the state. An object that a
# killed run made would then belong to somebody else, and its fields would be in conflict for ever.
_FIELD_MANAGER = "pulumi.com/patchFieldManager"


class Component(pulumi.ComponentResource):
    """A group of resources with one owner. Children always take `opts=self.child(...)`."""

    def __init__(self, token: str, name: str, opts: pulumi.ResourceOptions | None) -> None:
        owned = pulumi.ResourceOptions(transforms=[field_manager(pulumi.get_stack())])
        super().__init__(token, name, None, pulumi.ResourceOptions.merge(opts, owned))
        self._after = opts.depends_on if opts else None

    def child(self, **options: Any) -> pulumi.ResourceOptions:
        """Options for a child: this parent, and whatever this component waits for.

        The engine hands provider, protect and the like down to children, but not
        depends_on. Without this, a destroy may remove an operator before its jobs.
        """
        inherited = pulumi.ResourceOptions(parent=self, depends_on=self._after)
        return pulumi.ResourceOptions.merge(inherited, pulumi.ResourceOptions(**options))


def field_manager(stack: str) -> pulumi.ResourceTransform:
    """Every Kubernetes object is applied under the name of its stack, with no empty labels."""

    def transform(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        metadata = args.props.get("metadata")
        if not args.type_.startswith("kubernetes:") or not isinstance(metadata, Mapping):
            return None
        annotations = {**(metadata.get("annotations") or {}), _FIELD_MANAGER: STACK_MANAGER_PREFIX + stack}
        # The API server drops what is stated and empty, and every preview would put it back.
        props = {**args.props, "metadata": stated({**metadata, "annotations": annotations})}
        return pulumi.ResourceTransformResult(props, args.opts)

    return transform
