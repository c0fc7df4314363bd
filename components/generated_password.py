"""A Pulumi resource: a password that is made once, and kept in the stack's state as a secret.

The provider `random` would do, but is one more program to fetch; this needs Python alone.
"""

import secrets
from typing import Any

import pulumi
from pulumi.dynamic import CreateResult, DiffResult, Resource, ResourceProvider

_BYTES = 24


class GeneratedPasswordProvider(ResourceProvider):
    """Makes it, and never again: an update has nothing to change.

    The state holds this class by its module's name: do not move it.
    """

    serialize_as_secret_always = False  # nothing is captured

    def create(self, props: dict[str, Any]) -> CreateResult:
        return CreateResult(props["purpose"], {**props, "password": secrets.token_urlsafe(_BYTES)})

    def diff(self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]) -> DiffResult:
        return DiffResult(changes=False)


class GeneratedPassword(Resource, module="colocation", name="GeneratedPassword"):
    """Replaced only where somebody asks for it: `pulumi up --replace <urn>`."""

    password: pulumi.Output[str]

    def __init__(self, name: str, purpose: str, opts: pulumi.ResourceOptions | None = None) -> None:
        secret = pulumi.ResourceOptions(additional_secret_outputs=["password"])
        props = {"purpose": purpose, "password": None}
        super().__init__(GeneratedPasswordProvider(), name, props, pulumi.ResourceOptions.merge(opts, secret))
