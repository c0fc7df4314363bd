"""What a namespace lets its pods do, by the Pod Security Standards."""

from infra.vocabulary import POD_SECURITY_PREFIX


def pod_security_labels(level: str) -> dict[str, str]:
    """Labels that refuse pods below a level, and say so already for what makes pods.

    Version `latest`: the level means what the cluster's own version means by it. A fixed one would
    let through, unseen, whatever a later version learns to refuse.
    """
    return {
        label: value
        for mode in ("enforce", "audit", "warn")
        for label, value in (
            (f"{POD_SECURITY_PREFIX}/{mode}", level),
            (f"{POD_SECURITY_PREFIX}/{mode}-version", "latest"),
        )
    }
