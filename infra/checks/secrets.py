"""Secrets in plain sight: what stands in a stack file or in a pod's spec is read by many.

Findings never repeat a value.
"""

import re
from collections.abc import Iterable, Iterator

from infra.checks.findings import Finding, Subject
from infra.checks.parts import mappings, overridden_containers, started
from infra.models import JobSpec
from infra.models.base import Loc

_SECRET_WORD = re.compile(
    r"PASSWORD|PASSWD|PASSPHRASE|(^|_)(PASS|TOKEN|SECRETS?|CREDENTIALS?)(_|$)|SECRET$|TOKEN$"
)
_SECRET_KEY = re.compile(r"(API|ACCESS|ACCOUNT|AUTH|ENCRYPTION|MASTER|PRIVATE|SIGNING|SSH)_?KEY$")
_ANY_KEY = re.compile(r"_KEY$")
_ABOUT_A_SECRET = re.compile(r"_(FILE|PATH|DIR|NAME|URL|URI|ENDPOINT|TTL|LENGTH|SIZE|COUNT|TYPE|ENABLED)$")
"""Endings of variables that say where a secret is, or how it is made."""
_HARMLESS = re.compile(r"|[0-9.]+|true|false|none|null|\$\([A-Za-z_][A-Za-z0-9_]*\)", re.IGNORECASE)
"""Values that are no secret under any name: nothing, figures, switches, another variable."""
_PLAIN_WORDS = re.compile(r"[a-z]+([_./:-][a-z]+)*")

_CREDENTIAL = re.compile(
    r"\b(AKIA|ASIA)[0-9A-Z]{16}\b"  # AWS
    r"|\bgh[pousr]_[A-Za-z0-9]{36}|\bgithub_pat_[A-Za-z0-9_]{22}"
    r"|\bglpat-[A-Za-z0-9_-]{20}"
    r"|\bhf_[A-Za-z0-9]{30}"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|[a-z0-9+.-]://[^/\s:@]*:[^/\s@$]+@",  # one letter of the scheme: more would be tried at each place
)


def check(subject: Subject) -> Iterator[Finding]:
    """The variables and arguments of every container."""
    for i, job in enumerate(subject.stack.jobs):
        for place, name, value in _variables(("jobs", i), job):
            if _CREDENTIAL.search(value) or _named_like_a_secret(name, value):
                yield Finding(
                    code="secret-in-plain-text",
                    place=place,
                    message=f"{name} looks like a secret, and everybody who may read the job reads it",
                    remedy="put it into a Secret and name that under env_value_from",
                )
        for place, value in _arguments(("jobs", i), job):
            if _CREDENTIAL.search(value):
                yield Finding(
                    code="secret-in-plain-text",
                    place=place,
                    message="this looks like a secret, and everybody who may read the job reads it",
                    remedy="put it into a Secret, name that under env_value_from, and write $(VARIABLE) here",
                )


def _named_like_a_secret(name: str, value: str) -> bool:
    upper = name.upper()
    if _HARMLESS.fullmatch(value) or _ABOUT_A_SECRET.search(upper):
        return False
    if _SECRET_WORD.search(upper) or _SECRET_KEY.search(upper):
        return True
    return bool(_ANY_KEY.search(upper)) and not _PLAIN_WORDS.fullmatch(value)


def _variables(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, str, str]]:
    for place, part in started(at, job):
        for name, value in part.env.items():
            yield (*place, "env", name), name, value
    for place, container in overridden_containers(at, job):
        for entry, variable in mappings((*place, "env"), container.get("env")):
            yield (*entry, "value"), str(variable.get("name")), str(variable.get("value", ""))


def _arguments(at: Loc, job: JobSpec) -> Iterator[tuple[Loc, str]]:
    for place, part in started(at, job):
        yield from _placed((*place, "command"), part.command)
        yield from _placed((*place, "args"), part.args)
    for place, container in overridden_containers(at, job):
        for field in ("command", "args"):
            value = container.get(field)
            yield from _placed((*place, field), map(str, value) if isinstance(value, list) else ())


def _placed(at: Loc, values: Iterable[str]) -> Iterator[tuple[Loc, str]]:
    for j, value in enumerate(values):
        yield (*at, j), value
