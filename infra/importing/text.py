"""An entry as YAML, as a person would write it."""

from typing import Any

import yaml


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Items of a list stand deeper than its key."""
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        """Two equal parts are both written out."""
        return True


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def written(entry: dict[str, Any]) -> str:
    """The entry as a document, with a newline at its end."""
    return yaml.dump(entry, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
