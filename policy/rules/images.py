"""Images: one version, from where it is allowed."""

from collections.abc import Iterator

from infra.models.names import comes_from, has_version, image_parts, without_credentials
from policy.objects import KubernetesObject, text
from policy.pods import pods
from policy.rules.rule import ObjectRule, Settings, listed, texts


def _images(sent: KubernetesObject) -> Iterator[str]:
    found = (text(raw.get("image")) for group in pods(sent) for _, raw in group.containers())
    yield from dict.fromkeys(image for image in found if image is not None)


def _version(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    for image in _images(sent):
        if not has_version(image):
            yield (
                f"image {without_credentials(image)}: what runs depends on the day and the node; "
                "write the tag of a version, or a digest"
            )


def _registry(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    allowed = listed(settings, "registries")
    for image in _images(sent) if allowed else ():
        if not comes_from(image, allowed):
            name, _, _ = image_parts(without_credentials(image))
            yield f"image {name} is from elsewhere; use one from {' or '.join(allowed)}"


RULES = (
    ObjectRule(
        name="images-have-a-version",
        description="Every image has a tag other than latest, or a digest.",
        find=_version,
    ),
    ObjectRule(
        name="images-from-allowed-registries",
        description="Images come from registries that are allowed.",
        find=_registry,
        settings={"registries": texts("registries, or folders of one; none: any")},
    ),
)
