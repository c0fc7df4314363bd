"""Images that cannot be had: a name that is wrong, a registry that is away, a door that is shut."""

import re

from infra.cluster.containers import Container
from infra.cluster.pods import Pod
from infra.doctor.case import Case
from infra.doctor.rules.faults import PodFault, evidence, role_place, said

_REASONS = (
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "ErrImageNeverPull",
    "RegistryUnavailable",
)
_NO_SECRET = "FailedToRetrieveImagePullSecret"
_AWAY = re.compile(
    r"dial tcp|no such host|i/o timeout|connection refused|TLS handshake|network is unreachable"
    r"|no route to host|deadline exceeded|server misbehaving|certificate|invalid argument"
    r"|\bEOF\b|proxyconnect",
    re.IGNORECASE,
)
_SHUT = re.compile(
    r"unauthorized|denied|forbidden|authentication|\b401\b|\b403\b|authorization", re.IGNORECASE
)


def of(case: Case, pod: Pod) -> PodFault | None:
    """The first container of a pod that waits for its image."""
    for container in pod.containers:
        if container.waits and container.waits[0] in _REASONS:
            return _fault(case, pod, container)
    return None


def _fault(case: Case, pod: Pod, container: Container) -> PodFault:
    reason, message = container.waits or ("", "")
    image = pod.image(container.name)
    failed = _told(case, pod) or f"{reason}: {message}"
    secret = said(case, pod, _NO_SECRET)
    place = role_place(case, pod).partition(".")[0]
    text = f"{failed} {message}"
    if reason == "InvalidImageName":
        code, cause = "image-not-found", f"{image} is no name of an image"
        fix = f"mend image in {place}"
    elif _AWAY.search(text):
        code, cause = "registry-unreachable", f"node {pod.node} cannot reach the registry of {image}"
        fix = f"see that the node reaches it (DNS, proxy, firewall), or mirror it and mend image in {place}"
    elif secret or _SHUT.search(text):
        code, cause = "registry-refuses", f"the registry does not hand out {image} to node {pod.node}"
        if secret:
            cause += ", and a Secret of image_pull_secrets is not there"
        fix = (
            f"kubectl create secret docker-registry NAME -n {pod.namespace} ..., and name it in "
            f"image_pull_secrets of {place}"
        )
    else:
        code, cause = "image-not-found", f"there is no image {image}"
        fix = f"push it, or mend image in {place}"
    return PodFault(
        code=code,
        breaks_at="events",
        cause=cause,
        fix=fix,
        evidence=(
            *evidence(f"{pod.name}: container {container.name} waits, {reason}", failed),
            *(e for e in evidence("", secret) if e.step == "events"),
        ),
    )


def _told(case: Case, pod: Pod) -> str | None:
    """What the registry said: by the events, for the status soon says "Back-off" and no more."""
    found = case.state.about("Pod", pod.namespace, pod.name, pod.uid)
    failed = [event for event in found if event.reason in ("Failed", "InspectFailed")]
    # The kubelet also writes `Error: ErrImagePull` and `Error: ImagePullBackOff`.
    telling = [event for event in failed if not event.message.startswith("Error: ")]
    return str((telling or failed)[-1]) if failed else None
