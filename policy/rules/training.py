"""Training jobs are of the version that the operator serves, and stay until Pulumi takes them away."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from infra.vocabulary import TFJOB_KIND, TRAINING_API_VERSION
from policy.objects import KubernetesObject, mapping
from policy.rules.rule import ObjectRule, Settings, listed, texts


def _version(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    if sent.kind == TFJOB_KIND and sent.api_version != TRAINING_API_VERSION:
        yield (
            f"{sent} is of {sent.api_version}, which no operator serves any more; "
            f"write apiVersion: {TRAINING_API_VERSION}"
        )


def _no_ttl(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    # What another object carries is no resource of Pulumi's: nothing brings it back.
    if sent.kind != TFJOB_KIND or sent.carrier:
        return
    if any(fnmatchcase(sent.path, pattern) for pattern in listed(settings, "allowed")):
        return
    if mapping(sent.spec.get("runPolicy")).get("ttlSecondsAfterFinished") is not None:
        yield (
            f"{sent} is deleted when it has finished (runPolicy.ttlSecondsAfterFinished), and the update "
            f"after a refresh would train again; remove it, or allow {sent.path} in the pack's config"
        )


RULES = (
    ObjectRule(
        name="training-jobs-are-v1",
        description=f"TFJobs are of {TRAINING_API_VERSION}.",
        find=_version,
    ),
    ObjectRule(
        name="training-jobs-have-no-ttl",
        description="TFJobs that Pulumi owns are not deleted behind its back.",
        find=_no_ttl,
        settings={"allowed": texts("patterns of namespace/name of jobs that may run again")},
    ),
)
