"""What secrets look like: names of variables and keys, and credentials in a text."""

import re

_SECRET_WORD = re.compile(
    r"PASSWORD|PASSWD|PASSPHRASE|(^|_)(PASS|TOKEN|SECRETS?|CREDENTIALS?)(_|$)|SECRET$|TOKEN$|_PWD$"
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
    # One letter of the scheme: more would be tried at each place. Without what programs fill in.
    r"|[a-z0-9+.-]://[^/\s:@]*:(?!%s@)[^/\s@${}<>]+@",
)


def holds_credential(text: str) -> bool:
    """Whether a credential of a known form stands in a text."""
    return _CREDENTIAL.search(text) is not None


def named_like_a_secret(name: str, value: str) -> bool:
    """Whether a variable's name says that its value is a secret, and the value may be one."""
    upper = name.upper()
    if _HARMLESS.fullmatch(value) or _ABOUT_A_SECRET.search(upper):
        return False
    if _SECRET_WORD.search(upper) or _SECRET_KEY.search(upper):
        return True
    return bool(_ANY_KEY.search(upper)) and not _PLAIN_WORDS.fullmatch(value)
