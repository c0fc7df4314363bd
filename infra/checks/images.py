"""Images: one version, from where the stack allows."""

from collections.abc import Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.parts import overridden_containers, started
from infra.models import JobSpec
from infra.models.base import Loc
from infra.models.names import comes_from, has_version, image_parts, without_credentials
from infra.versions import PYTHON_IMAGE
from infra.vocabulary import TRAINING_OPERATOR_IMAGE, TRAINING_OPERATOR_REGISTRY


def check(subject: Subject) -> Iterator[Finding]:
    """Every image of every job, and the registry of the operator's."""
    allowed = subject.stack.image_registries
    for i, job in enumerate(subject.stack.jobs):
        for place, image in _images(("jobs", i), job):
            yield from _version(place, image)
            yield from _registry(place, image, allowed)
    protection = subject.stack.node_protection
    if protection is not None:
        place, image = ("node_protection", "image"), protection.image or PYTHON_IMAGE
        yield from _version(place, image)
        yield from _registry(place, image, allowed)
    operator = subject.stack.training_operator
    # Manifests from elsewhere may name any image, unless this stack says from where.
    if operator.install and (operator.source is None or operator.image_registry is not None):
        image = f"{operator.image_registry or TRAINING_OPERATOR_REGISTRY}/{TRAINING_OPERATOR_IMAGE}"
        yield from _registry(("training_operator", "image_registry"), image, allowed)


def _images(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, str]]:
    for place, part in started(at, job):
        if part.image is not None:
            yield (*place, "image"), part.image
    for place, raw in overridden_containers(at, job):
        if isinstance(image := raw.get("image"), str):
            yield (*place, "image"), image


def _version(place: Loc, image: str) -> Iterator[Finding]:
    if not has_version(image):
        _, tag, _ = image_parts(image)
        yield Finding(
            code="image-without-version",
            place=place,
            message=f"{without_credentials(image)} has {'the tag latest' if tag else 'no tag'}, "
            "so what runs depends on the day and the node",
            remedy="write the tag of a version, or a digest",
        )


def _registry(place: Loc, image: str, allowed: tuple[str, ...]) -> Iterator[Finding]:
    if allowed and not comes_from(image, allowed):
        shown, _, _ = image_parts(without_credentials(image))
        yield Finding(
            code="image-registry-not-allowed",
            place=place,
            message=f"{shown} is from none of the stack's image_registries",
            remedy=f"use an image from {' or '.join(allowed)}, or add its registry there",
        )
