"""Faults of templates in labels and annotations of alerts, as far as they show without an engine."""

import re
from collections.abc import Iterator
from typing import Final

_ACTION = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`')
_VARIABLES: Final = ("$labels", "$externalLabels", "$externalURL", "$value")
"""What Prometheus sets beforehand; `$` alone is the data itself."""
_FUNCTION: Final = re.compile(
    r"query|first|label|value|sortByLabel|strvalue|args|reReplaceAll|safeHtml|match|title|toUpper|toLower"
    r"|graphLink|tableLink|parseDuration|humanize(1024|Duration|Percentage|Timestamp)?|toTime|toDuration|now"
    r"|pathPrefix|externalURL|stripPort|stripDomain|urlQueryEscape|tmpl"
    r"|and|or|not|eq|ne|lt|le|gt|ge|len|index|slice|print|printf|println|call|html|js|urlquery"
    r"|if|else|end|range|with|define|template|block|break|continue|nil|true|false"
)
"""Of Prometheus (docs: configuration, template reference) and of Go's text/template, with its words."""


def template_faults(text: str) -> Iterator[str]:
    """What is wrong, as `<what is wrong>; <what to write instead>`."""
    rest = _ACTION.sub("", text)
    if "{{" in rest:
        yield "a {{ has no }}; close it"
        return
    if "}}" in rest:
        yield "a }} has no {{; open it"
        return
    actions = [_QUOTED.sub('""', action) for action in _ACTION.findall(text)]
    depth = 0
    for action in actions:
        word = action.split(maxsplit=1)[0] if action else ""
        if not action:
            yield "an empty {{ }}; write what it stands for, as in {{ $labels.pod }}"
        depth += (word in ("if", "range", "with", "define", "block")) - (word == "end")
        if depth < 0:
            break
    if depth:
        yield (
            "an {{ if }}, {{ range }} or {{ with }} has no {{ end }}; end it"
            if depth > 0
            else "an {{ end }} ends nothing; remove it"
        )
    made = {name for action in actions for name in re.findall(r"(\$\w+)\s*(?:,|:=)", action)}
    for action in actions:
        for name in re.findall(r"\$\w+", action):
            if name not in made and name not in _VARIABLES:
                yield f"{name} is not set; write {_near(name)}"
        for name in re.findall(r"(?<![\w.$])[A-Za-z]\w*(?![\w:])", action):
            if not _FUNCTION.fullmatch(name):
                yield f"{name} is no function of templates; write $labels.{name} for a label of the alert"


def _near(variable: str) -> str:
    close = {"$label": "$labels", "$Labels": "$labels", "$Value": "$value", "$values": "$value"}
    return close.get(variable, "$labels.<name> or $value")
