"""YAML to plain data, with the line of every key and item; duplicate keys are errors."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from infra.checks.findings import Finding
from infra.models.base import Loc

_MOST_NODES = 200_000
"""Aliases of aliases can stand for more data than memory holds."""


class YamlError(Exception):
    """The text is not usable YAML at all; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Marked:
    """Data, and where each part of it stands."""

    data: Any
    lines: Mapping[Loc, int]
    faults: tuple[tuple[int, Finding], ...]
    """Line and complaint of keys that YAML allows and this project does not."""


def parse(text: str) -> Marked:
    """Read one document."""
    reader = _Reader()
    try:
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            data = reader.value(loader, node, ()) if node is not None else None
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise _explained(error) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlError(line, "holds a control character; remove it") from None
    except RecursionError:
        raise YamlError(1, "is nested too deeply; write it flatter") from None
    return Marked(data, reader.lines, tuple(reader.faults))


def _explained(error: yaml.MarkedYAMLError) -> YamlError:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    problem = str(error.problem or error.context)
    if r"'\t'" in problem:
        return YamlError(line, "a tab stands where YAML wants spaces; indent with spaces")
    if "expected a single document" in str(error.context):
        return YamlError(line, "a second document starts here; keep one, without '---' between")
    context = f" {error.context}" if error.context and error.problem else ""
    return YamlError(line, f"not valid YAML ({problem}{context}); mend the line or the one before")


@dataclass
class _Reader:
    lines: dict[Loc, int] = field(default_factory=dict)
    faults: list[tuple[int, Finding]] = field(default_factory=list)
    _within: set[int] = field(default_factory=set)
    _count: int = 0

    def value(self, loader: yaml.SafeLoader, node: yaml.Node, loc: Loc) -> Any:
        line = node.start_mark.line + 1
        self.lines.setdefault(loc, line)
        self._count += 1
        if self._count > _MOST_NODES:
            raise YamlError(line, "its aliases stand for too much data; write it out")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(loader, node, line)
        if id(node) in self._within:
            raise YamlError(line, "an alias contains itself; write the data out")
        self._within.add(id(node))
        try:
            if isinstance(node, yaml.SequenceNode):
                return [self.value(loader, n, (*loc, i)) for i, n in enumerate(node.value)]
            assert isinstance(node, yaml.MappingNode)
            return self._mapping(loader, node, loc)
        finally:
            self._within.discard(id(node))

    def _scalar(self, loader: yaml.SafeLoader, node: yaml.ScalarNode, line: int) -> Any:
        try:
            return loader.construct_object(node)
        except yaml.constructor.ConstructorError:
            raise YamlError(line, f"has the tag {node.tag}; write plain data") from None
        except (ValueError, OverflowError):
            raise YamlError(line, f"{node.value[:40]!r} cannot be read; put it in quotes") from None

    def _mapping(self, loader: yaml.SafeLoader, node: yaml.MappingNode, loc: Loc) -> dict[str, Any]:
        own = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        self._duplicates(node, loc, own)
        loader.flatten_mapping(node)  # `<<: *other` becomes the other's keys, before our own
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = self.value(loader, key_node, (*loc, "<key>"))
            if not isinstance(key, str):
                shown = key_node.value if isinstance(key_node, yaml.ScalarNode) else "this key"
                text = f"{shown} is not text; write the key in quotes"
                self.faults.append((line, Finding.of("key-not-text", loc, text)))
                continue
            self.lines[(*loc, key)] = line
            data[key] = self.value(loader, value_node, (*loc, key))
        return data

    def _duplicates(self, node: yaml.MappingNode, loc: Loc, own: list[str]) -> None:
        first: dict[str, int] = {}
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode) or own.count(key_node.value) == 1:
                continue
            line = key_node.start_mark.line + 1
            if key_node.value in first:
                before = first[key_node.value]
                text = f"given twice, first on line {before}; keep one of the two"
                self.faults.append((line, Finding.of("duplicate-key", (*loc, key_node.value), text)))
            first.setdefault(key_node.value, line)
