"""What the Kubernetes API has in its objects, as the installed client knows it."""

from collections.abc import Mapping
from functools import cache


@cache
def fields_of(kind: str) -> Mapping[str, str]:
    """The fields of a kind, such as V1PodSpec, by the API's names, each with its own kind."""
    # Here: it takes half a second, and few stacks and only imports of manifests ask.
    from kubernetes.client import models

    model = getattr(models, kind)
    return {name: str(model.openapi_types[attribute]) for attribute, name in model.attribute_map.items()}
