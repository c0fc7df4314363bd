"""Remarks as text, and as Markdown for a comment."""

from collections.abc import Sequence
from typing import Final

from infra.review.words import Remark, Weight

FORMATS: Final = ("text", "markdown")
_HEADINGS: dict[Weight, str] = {
    "danger": "Danger",
    "run": "Runs again",
    "change": "Changes",
    "count": "More and less",
}
_NOTHING = "Nothing changes."


def written(found: Sequence[Remark], errors: Sequence[str], form: str, title: str | None = None) -> str:
    """In one of FORMATS, without a newline at the end."""
    return _markdown(found, errors, title) if form == "markdown" else _text(found, errors, title)


def _text(found: Sequence[Remark], errors: Sequence[str], title: str | None) -> str:
    lines = [f"{title}:"] if title else []
    lines += [f"the preview failed: {error}" for error in errors]
    lines += [f"{'DANGER: ' if remark.weight == 'danger' else ''}{remark.text}" for remark in found]
    return "\n".join(lines if found or errors else [*lines, _NOTHING])


def _markdown(found: Sequence[Remark], errors: Sequence[str], title: str | None) -> str:
    blocks = [f"### {_escaped(title)}"] if title else []
    if errors:
        blocks.append("**The preview failed**\n\n" + "\n".join(f"- {_escaped(e)}" for e in errors))
    for weight, heading in _HEADINGS.items():
        lines = [f"- {_escaped(remark.text)}" for remark in found if remark.weight == weight]
        if lines:
            blocks.append(f"**{heading}**\n\n" + "\n".join(lines))
    return "\n\n".join(blocks if found or errors else [*blocks, _NOTHING])


def _escaped(text: str) -> str:
    """Values come from a pull request: they may not become markup, mentions or links."""
    for mark in "\\`*_<>[]|#~":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("@", "@\u200b").replace("\n", " ")
