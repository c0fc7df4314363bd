"""What Pulumi says of a preview that failed, where that is not what a reviewer needs."""

import re

_PROTECTED = re.compile(
    r'^resource "(?P<urn>[^"]+::(?P<name>[^":]+))" cannot be deleted because it is protected'
)
_PRIORITY = re.compile(
    r'PriorityClass\.scheduling\.k8s\.io "(?P<name>[^"]+)" is invalid: .*may not be changed'
)


def explained(text: str) -> str:
    """What has happened and what to do; unknown errors as they are."""
    if found := _PROTECTED.search(text):
        return (
            f"{found['name']} is protected, and would be deleted: an update stops there. "
            f"If its data may go: pulumi state unprotect '{found['urn']}'"
        )
    if found := _PRIORITY.search(text):
        return (
            f"priority {found['name']} gets another value or policy. An update makes it anew, and pods keep "
            "the number that they have; but Kubernetes refuses the trial run of a preview. Preview with the "
            "account of ci/preview-account.yaml, which asks for none, and update with --skip-preview"
        )
    return text
