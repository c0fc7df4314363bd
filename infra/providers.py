"""The cluster, as resources are sent to it."""

import pulumi_kubernetes as kubernetes


def cluster(name: str, *, upsert_existing_objects: bool | None = None) -> kubernetes.Provider:
    """The cluster that the KUBECONFIG of whoever runs this points to.

    Objects that exist are refused, unless PULUMI_K8S_UPSERT_EXISTING_OBJECTS says that they are ours.
    """
    return kubernetes.Provider(
        name,
        upsert_existing_objects=upsert_existing_objects,
        # Several owners share nodes and webhooks: each owns the fields it applies.
        enable_server_side_apply=True,
        # Names of scripts hold their hash already; other ConfigMaps and Secrets change in place.
        enable_config_map_mutable=True,
        enable_secret_mutable=True,
    )
