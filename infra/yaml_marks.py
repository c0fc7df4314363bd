"""YAML to plain data, with the line of every key and item; duplicate keys are errors."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import yaml

from infra.checks.findings import Finding
from infra.models.base import Loc

_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # of the same grammar, and ten times as fast
_MOST_NODES = 200_000
"""Of a file, as written and as its aliases stand for: several thousand jobs have as many."""
_DEEPEST = 100
_CONTROL = yaml.reader.Reader.NON_PRINTABLE
_UNUSABLE = re.compile("[\0\ud800-\udfff]")
"""YAML can write them as escapes; no API takes them."""
_TAG = "tag:yaml.org,2002:"
# YAML 1.1 also knows 012 (ten), 1:30 (ninety) and dates. Nobody means those: they are read as text.
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,39})")
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")


# And what kubectl takes for one (as strconv.ParseInt of base 0 and go-yaml do), or for a switch.
_OTHER_TO_KUBECTL = re.compile(
    r"[-+]?(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?"
    r"|\.(inf|Inf|INF))|\.(nan|NaN|NAN)|[yYnN]"
)
_DECIMAL = re.compile(r"[-+]?([1-9][0-9]*(\.[0-9]*)?|0?\.[0-9]+)([eE][-+]?[0-9]+)?")


class Unquoted(str):
    """Text here that is a number or a switch to kubectl: 010, 1e3 or y without quotes."""

    @property
    def is_decimal(self) -> bool:
        """Whether the number is the one that a person reads."""
        return _DECIMAL.fullmatch(self) is not None


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


class _Loader(_BASE):  # type: ignore[misc]  # which of the two, is known when it runs
    """Gives up while it composes, since the nodes of a large file fill the memory before one is read."""

    nodes = 0

    def descend_resolver(self, current_node: yaml.Node | None, current_index: Any) -> None:
        """What is called before each node."""
        self.nodes += 1
        if self.nodes > _MOST_NODES:
            line = _line(current_node) if current_node is not None else 1
            raise YamlError(line, f"holds more than {_MOST_NODES} values; split it")
        super().descend_resolver(current_node, current_index)


@dataclass
class _Count:
    """Of the values that the nodes of a file stand for."""

    values: int = 0

    def another(self, line: int) -> None:
        self.values += 1
        if self.values > _MOST_NODES:
            raise YamlError(line, "its aliases stand for too much data; write it out")


def parse(text: str) -> Marked:
    """Read one document."""
    with _loader(text) as loader:
        node = loader.get_single_node()
        return _marked(node, _Count()) if node is not None else Marked(None, {}, ())


def parse_all(text: str) -> tuple[Marked, ...]:
    """Read every document as kubectl does; lines count from the start of the text."""
    documents, count = [], _Count()
    with _loader(text) as loader:
        while loader.check_node():
            node = loader.get_node()
            if node is not None:
                documents.append(_marked(node, count, as_kubectl=True))
    return tuple(documents)


def _marked(node: yaml.Node, count: _Count, *, as_kubectl: bool = False) -> Marked:
    reader = _Reader(count, as_kubectl)
    data = reader.value(node, ())
    return Marked(data, reader.lines, tuple(reader.faults))


@contextmanager
def _loader(text: str) -> Iterator[yaml.SafeLoader]:
    """What composes the text; each of its complaints becomes a YamlError."""
    if found := _CONTROL.search(text):
        raise YamlError(text.count("\n", 0, found.start()) + 1, "holds a control character; remove it")
    try:
        loader = _Loader(text)
        try:
            yield loader
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise _explained(error, text) from None
    except RecursionError:
        raise YamlError(1, "is nested too deeply; write it flatter") from None


def _explained(error: yaml.MarkedYAMLError, text: str) -> YamlError:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    problem = str(error.problem or error.context)
    if "cannot start any token" in problem and text.splitlines()[line - 1].lstrip(" ").startswith("\t"):
        return YamlError(line, "a tab stands where YAML wants spaces; indent with spaces")
    if "undefined alias" in problem:  # whose name may be a password
        return YamlError(line, "a value starts with * and is no alias; write it in quotes")
    if "nesting depth" in problem:
        return YamlError(line, "is nested too deeply; write it flatter")
    if "expected a single document" in str(error.context):
        return YamlError(line, "a second document starts here; keep one, without '---' between")
    context = f" {error.context}" if error.context and error.problem else ""
    return YamlError(line, f"not valid YAML ({problem}{context}); mend the line or the one before")


Pair = tuple[yaml.Node, yaml.Node]


@dataclass
class _Reader:
    count: _Count
    as_kubectl: bool
    lines: dict[Loc, int] = field(default_factory=dict)
    faults: list[tuple[int, Finding]] = field(default_factory=list)
    _within: set[int] = field(default_factory=set)

    def value(self, node: yaml.Node, loc: Loc) -> Any:
        line = _line(node)
        self.lines.setdefault(loc, line)
        self.count.another(line)
        if isinstance(node, yaml.ScalarNode):
            read = _scalar(node)
            # A plain node has no style.
            if self.as_kubectl and isinstance(read, str) and not node.style and _is_other_to_kubectl(read):
                return Unquoted(read)
            return read
        if node.tag not in (f"{_TAG}seq", f"{_TAG}map"):
            raise _tagged(node)
        self._enter(node)
        try:
            if isinstance(node, yaml.SequenceNode):
                return [self.value(n, (*loc, i)) for i, n in enumerate(node.value)]
            assert isinstance(node, yaml.MappingNode)
            return self._mapping(node, loc)
        finally:
            self._within.discard(id(node))

    def _enter(self, node: yaml.Node) -> None:
        if id(node) in self._within:
            raise YamlError(_line(node), "an alias contains itself; write the data out")
        self._within.add(id(node))
        if len(self._within) > _DEEPEST:
            raise YamlError(_line(node), "is nested too deeply; write it flatter")

    def _mapping(self, node: yaml.MappingNode, loc: Loc) -> dict[str, Any]:
        self._duplicates(node, loc)
        data: dict[str, Any] = {}
        for key_node, value_node in self._pairs(node):
            line = _line(key_node)
            key = _scalar(key_node) if isinstance(key_node, yaml.ScalarNode) else None
            if not isinstance(key, str):
                shown = key_node.value if isinstance(key_node, yaml.ScalarNode) else "this key"
                text = f"{shown} is not text; write the key in quotes"
                self.faults.append((line, Finding.of("key-not-text", loc, text)))
                continue
            self.lines[(*loc, key)] = line
            data[key] = self.value(value_node, (*loc, key))
        return data

    def _pairs(self, node: yaml.MappingNode) -> Iterator[Pair]:
        """What `<<: *other` brings, before the mapping's own keys, which win."""
        for key_node, value_node in node.value:
            if key_node.tag == f"{_TAG}merge":
                many = isinstance(value_node, yaml.SequenceNode)
                for other in reversed(value_node.value) if many else [value_node]:
                    yield from self._merged(other)
        for key_node, value_node in node.value:
            if key_node.tag != f"{_TAG}merge":
                yield key_node, value_node

    def _merged(self, other: yaml.Node) -> Iterator[Pair]:
        if not isinstance(other, yaml.MappingNode):
            raise YamlError(_line(other), "`<<` merges something that is no mapping; name one")
        self._enter(other)
        try:
            pairs = list(self._pairs(other))
        finally:
            self._within.discard(id(other))
        for pair in pairs:
            self.count.another(_line(other))
            yield pair

    def _duplicates(self, node: yaml.MappingNode, loc: Loc) -> None:
        first: dict[str, int] = {}
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                continue
            line, key = _line(key_node), key_node.value
            if key in first:
                text = f"given twice, first on line {first[key]}; keep one of the two"
                self.faults.append((line, Finding.of("duplicate-key", (*loc, key), text)))
            first.setdefault(key, line)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _is_other_to_kubectl(text: str) -> bool:
    return text[:1] != "_" and _OTHER_TO_KUBECTL.fullmatch(text.replace("_", "")) is not None


def _tagged(node: yaml.Node) -> YamlError:
    if node.tag.startswith("!"):  # which may be the start of a password
        return YamlError(_line(node), "a value starts with !, which makes it a tag; write it in quotes")
    return YamlError(_line(node), f"has the tag {node.tag}; write plain data")


def _scalar(node: yaml.ScalarNode) -> Any:
    text, tag = node.value, node.tag.removeprefix(_TAG)
    if _UNUSABLE.search(text):
        raise YamlError(_line(node), "holds an escaped character that is no text; remove it")
    match tag:
        case "str" | "timestamp" | "merge" | "value":
            return text
        case "null":
            return None
        case "bool":
            return yaml.SafeLoader.bool_values.get(text.lower(), text)
        case "int":
            return int(text) if _INTEGER.fullmatch(text) else text
        case "float":
            return float(text) if _FLOAT.fullmatch(text) else text
    raise _tagged(node)
