"""Faults of templates in labels and annotations of alerts, as far as they show without an engine."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

_OPEN = re.compile(r"\{\{(?:-(?=[ \t\r\n]))?")
_COMMENT = re.compile(r"\{\{(?:-[ \t\r\n]+)?/\*.*?\*/(?:[ \t\r\n]+-)?\}\}", re.DOTALL)
_CLOSE = re.compile(r"(?:[ \t\r\n]+-)?\}\}")
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|`[^`]*`)
    |(?P<char>'(?:[^'\\\n]|\\.)*')
    |(?P<variable>\$\w*)
    |(?P<field>\.[^\W\d]\w*|\.(?!\d))
    |(?P<number>[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))
    |(?P<word>[^\W\d]\w*)
    |(?P<sign>:=|[=,|()])""",
    re.VERBOSE,
)
_PARTED = re.compile(r"[ \t\r\n.,|:()]|\}\}")
"""What may follow a value at once."""
_ESCAPE = re.compile(r"""\\(?:[abfnrtv\\"]|x[0-9A-Fa-f]{2}|[0-7]{3}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})""")
_SETS = re.compile(r"(?:(?:else )?(?:if|with|range) )?\$\w*(?: , \$\w*)? :?= ")
"""How an action begins that gives a variable its value."""
_VARIABLES: Final = ("$", "$labels", "$externalLabels", "$externalURL", "$value")
"""What Prometheus sets beforehand; `$` alone is the data itself."""
_BLOCKS: Final = ("if", "range", "with", "define", "block")
_KEYWORDS: Final = (*_BLOCKS, "else", "end", "template")
_FUNCTION: Final = re.compile(
    r"query|first|label|value|sortByLabel|strvalue|args|reReplaceAll|safeHtml|match|title|toUpper|toLower"
    r"|graphLink|tableLink|parseDuration|humanize(1024|Duration|Percentage|Timestamp)?|toTime|toDuration|now"
    r"|pathPrefix|externalURL|stripPort|stripDomain|urlQueryEscape|tmpl"
    r"|and|or|not|eq|ne|lt|le|gt|ge|len|index|slice|print|printf|println|call|html|js|urlquery"
    r"|if|else|end|range|with|define|template|block|break|continue|nil|true|false"
)
"""Of Prometheus (docs: configuration, template reference) and of Go's text/template, with its words."""


class _UnreadError(Exception):
    """One that leaves the rest unread."""


def template_faults(text: str) -> Iterator[str]:
    """What is wrong, as `<what is wrong>; <what to write instead>`."""
    try:
        actions = list(_actions(text))
        _structure(actions)
    except _UnreadError as fault:
        yield str(fault)
        return
    made = {name for action in actions if _SETS.match(" ".join(action)) for name in _set(action)}
    for action in actions:
        for token in action:
            if token.startswith("$") and token not in made and token not in _VARIABLES:
                yield f"{token} is not set; write {_near(token)}"
            if (token[0].isalpha() or token[0] == "_") and not _FUNCTION.fullmatch(token):
                yield f"{token} is no function of templates; write $labels.{token} for a label of the alert"


def _actions(text: str) -> Iterator[list[str]]:
    """The tokens of each `{{ }}`; texts become empty texts, fields one point."""
    at = 0
    while opened := _OPEN.search(text, at):
        _plain(text[at : opened.start()])
        if comment := _COMMENT.match(text, opened.start()):
            at = comment.end()
            continue
        action, at = _action(text, opened.end())
        yield action
    _plain(text[at:])


def _plain(text: str) -> None:
    if re.search(r"\$(?:labels|value)\b[^{}]*\}\}", text):
        raise _UnreadError("a }} has no {{; open it")


def _action(text: str, at: int) -> tuple[list[str], int]:
    tokens: list[str] = []
    while not (close := _CLOSE.match(text, at)):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _UnreadError(_unread(text[at:]))
        kind, token, at = found.lastgroup, found[0], found.end()
        if kind not in ("space", "sign") and token != "." and at < len(text) and not _PARTED.match(text, at):
            behind = f"{text[at]} stands at once behind {token}; part them by a space, or remove it"
            raise _UnreadError(behind if re.match(r"[\w\"'`$=]", text[at]) else _unread(text[at:]))
        if kind == "char" and len(_ESCAPE.sub("x", token.replace("\\'", "x"))) != 3:
            raise _UnreadError(f"{token} stands in single quotes; write it in double quotes")
        if kind == "text":
            if token[0] == '"' and (wrong := re.search(r"\\.?", _ESCAPE.sub("", token[1:-1]))):
                raise _UnreadError(rf"{wrong[0]} in {token} stands for nothing; write \\ for a backslash")
            token = '""'
        if kind != "space":
            tokens.append("." if kind == "field" else token)
    if tokens.count("(") > tokens.count(")"):
        raise _UnreadError("a ( has no ); close it")
    _signs(tokens)
    return tokens, close.end()


def _unread(rest: str) -> str:
    if not rest or "}}" not in rest:
        return "a {{ has no }}; close it"
    if rest[0] in "\"`'":
        return f"a {rest[0]} has no other after it; close the quoted text"
    if rest.startswith("/*"):
        return "a comment begins away from its {{; write {{/* and */}} without spaces"
    remedy = "compare with eq, ne, lt or gt, and take a label of an odd name by index"
    return f"{rest[0]} has no meaning in a template; {remedy}"


def _signs(tokens: Sequence[str]) -> None:
    """Brackets, bars and what gives variables a value stand where something can follow them."""
    if not tokens:
        raise _UnreadError("an empty {{ }}; write what it stands for, as in {{ $labels.pod }}")
    written = f"{' '.join(tokens)} "
    begins = _SETS.match(written)
    if re.search(r" (?::?=|,) ", f" {written[begins.end() if begins else 0 :]}"):
        raise _UnreadError("a = or a comma stands where nothing is set; compare with eq")
    for word in tokens[2 if tokens[0] == "else" else 1 :]:
        if word in _KEYWORDS:
            raise _UnreadError(f"{word} stands within an action; write {{{{ {word} ... }}}} by itself")
    depth = 0
    for token in tokens:
        depth += (token == "(") - (token == ")")
        if depth < 0:
            raise _UnreadError("a ) closes nothing; remove it")
    value = written[begins.end() if begins else 0 :].removeprefix("else ").strip()
    value = re.sub(r"^(?:if|with|range)\b", "", value).strip()
    needed = begins or tokens[0] in ("if", "with", "range") or tokens[:2] in _CHAINS
    if (not value and needed) or re.search(r"(?:^|[|(] )[|)]", value):
        raise _UnreadError(f"{{{{ {written}}}}} lacks a value; write one, as in $value")


_CHAINS = (["else", "if"], ["else", "with"])


def _structure(actions: Sequence[Sequence[str]]) -> None:
    """What is opened is ended, and has one {{ else }} at its end."""
    opened: list[str] = []
    for action in actions:
        word = action[0]
        if word in _BLOCKS:
            opened.append(word)
        elif word == "end":
            if not opened:
                raise _UnreadError("an {{ end }} ends nothing; remove it")
            opened.pop()
        elif word == "else":
            if not opened or opened[-1] not in ("if", "range", "with"):
                raise _UnreadError("an {{ else }} belongs to nothing, or is the second one; remove it")
            if len(action) == 1:
                opened[-1] = "else"
            elif action[1] != opened[-1] or action[1] == "range":
                raise _UnreadError(
                    f"an {{{{ else }}}} is followed by {action[1]}; write {{{{ else if ... }}}}"
                )
        elif word in ("break", "continue") and "range" not in opened:
            raise _UnreadError(f"{{{{ {word} }}}} stands outside of {{{{ range }}}}; remove it")
    if opened:
        raise _UnreadError("an {{ if }}, {{ range }} or {{ with }} has no {{ end }}; end it")


def _set(action: Sequence[str]) -> Iterator[str]:
    for token in action:
        if token in (":=", "="):
            return
        if token.startswith("$"):
            yield token


def _near(variable: str) -> str:
    close = {"$label": "$labels", "$Labels": "$labels", "$Value": "$value", "$values": "$value"}
    return close.get(variable, "$labels.<name> or $value")
