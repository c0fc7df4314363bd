"""What holds data is neither deleted nor replaced.

A pack is not told what an update deletes. So it demands the option by which Pulumi itself refuses to.
"""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from infra.vocabulary import TRAINING_API_VERSION
from policy.objects import KubernetesObject
from policy.rules.rule import Breach, ObjectRule, Settings, StackRule, listed, texts

_CLAIM = "PersistentVolumeClaim"
_PROTECTED = (_CLAIM, "PersistentVolume")
_DEFINITION = "CustomResourceDefinition"
_KEPT = (f"*.{TRAINING_API_VERSION.partition('/')[0]}",)


def _protected(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    if sent.carrier or sent.protected:
        return
    if sent.kind in _PROTECTED:
        yield f"{sent} is not protected, and deleting it deletes data; set the resource option protect"


def _definitions(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    if sent.carrier or sent.protected or sent.kind != _DEFINITION:
        return
    if not any(fnmatchcase(sent.name or "", pattern) for pattern in listed(settings, "retained")):
        yield (
            f"{sent} is not protected, and deleting it deletes every object of its kind; set the resource "
            "option protect, or retain_on_delete and name it in the pack's config, which cannot see that one"
        )


def _namespaces(stack: Sequence[KubernetesObject], settings: Settings) -> Iterator[Breach]:
    """Deleting a namespace deletes the claims in it; one that a protected claim depends on, Pulumi keeps."""
    named = {sent.name: sent for sent in stack if sent.kind == "Namespace" and not sent.carrier}
    for claim in stack:
        home = named.get(claim.namespace)
        if claim.kind != _CLAIM or home is None or home.protected or home.urn in claim.depends_on:
            continue
        yield Breach(
            f"{claim} does not depend on its {home}, which could then be deleted with all data in it; take "
            "the claim's namespace from the resource's output, or protect the namespace",
            claim.urn,
        )


RULES = (
    ObjectRule(
        name="claims-are-protected",
        description="Claims and volumes can be neither deleted nor replaced.",
        find=_protected,
    ),
    ObjectRule(
        name="definitions-are-kept",
        description="CustomResourceDefinitions can be neither deleted nor replaced.",
        find=_definitions,
        settings={"retained": texts("patterns of those that their program retains on delete", _KEPT)},
    ),
    StackRule(
        name="namespaces-with-data-are-kept",
        description="Namespaces stay as long as claims are in them.",
        find=_namespaces,
    ),
)
