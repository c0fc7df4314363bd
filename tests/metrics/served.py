"""Which labels an expression can rely on, by the lists beside this file."""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from promql_parser import (
    AggModifierType,
    AggregateExpr,
    BinaryExpr,
    Call,
    Expr,
    LabelModifierType,
    MatrixSelector,
    NumberLiteral,
    ParenExpr,
    StringLiteral,
    SubqueryExpr,
    UnaryExpr,
    VectorSelector,
)

from infra.promql import parse, selector

FOLDER = Path(__file__).parent
_LINE = re.compile(r"(?P<metric>[A-Za-z_:][\w:]*)\{(?P<labels>[\w,]*)\}")
_EACH_SERIES = ("sum", "avg", "min", "max", "count", "group", "stddev", "stdvar", "quantile", "count_values")
_ONE_SIDE = ("and", "unless")


def served() -> dict[str, frozenset[str]]:
    """Labels by metric, of all lists."""
    found: dict[str, frozenset[str]] = {}
    for file in sorted(FOLDER.glob("*.txt")):
        for line in file.read_text("utf-8").splitlines():
            if match := _LINE.fullmatch(line):
                labels = frozenset(filter(None, match["labels"].split(",")))
                found[match["metric"]] = found.get(match["metric"], frozenset()) | labels
            else:
                assert line.startswith("#") or not line, f"{file.name}: {line}"
    return found


def lacking(expression: str, lists: Mapping[str, Collection[str]]) -> list[str]:
    """What an expression asks for that nothing serves: metrics, and labels of theirs."""
    return list(dict.fromkeys(Labels(lists).faults(parse(expression))))


def resulting(expression: str, lists: Mapping[str, Collection[str]]) -> frozenset[str]:
    """The labels that its result may have: those that texts of an alert can show."""
    return Labels(lists).of(parse(expression))


class Labels:
    """Follows labels through an expression."""

    def __init__(self, lists: Mapping[str, Collection[str]]) -> None:
        self._lists = lists

    def of(self, node: Expr) -> frozenset[str]:
        match node:
            case VectorSelector():
                return frozenset(self._lists.get(selector(node).metric or "", ()))
            case MatrixSelector():
                return self.of(node.vector_selector)
            case ParenExpr() | SubqueryExpr() | UnaryExpr():
                return self.of(node.expr)
            case AggregateExpr():
                return self._of_aggregate(node)
            case Call():
                return self._of_call(node)
            case BinaryExpr():
                return self._of_binary(node)
        return frozenset()

    def _of_aggregate(self, node: AggregateExpr) -> frozenset[str]:
        inner = self.of(node.expr)
        if str(node.op) not in _EACH_SERIES:  # topk and its like keep the series
            return inner
        if node.modifier is None:
            return frozenset()
        labels = frozenset(node.modifier.labels)
        return inner & labels if node.modifier.type == AggModifierType.By else inner - labels

    def _of_call(self, node: Call) -> frozenset[str]:
        inner = frozenset().union(*(self.of(arg) for arg in node.args if isinstance(arg, Expr)))
        if node.func.name in ("label_replace", "label_join"):
            made = node.args[1]
            return inner | ({made.val} if isinstance(made, StringLiteral) else set())
        return inner

    def _of_binary(self, node: BinaryExpr) -> frozenset[str]:
        left, right = self.of(node.lhs), self.of(node.rhs)
        op, modifier = str(node.op), node.modifier
        if op == "or":
            return left | right
        if op in _ONE_SIDE or isinstance(node.rhs, NumberLiteral) or not right:
            return left
        if not left:
            return right
        more = frozenset(modifier.group_labels or ()) if modifier else frozenset()
        side = str(modifier.card) if modifier else ""
        if side.endswith("OneToMany"):
            return right | more
        if side.endswith("ManyToOne"):
            return left | more
        matching = modifier.matching if modifier else None
        if matching is None:
            return left
        on = frozenset(matching.labels)
        return left & on if matching.type == LabelModifierType.Include else left - on

    def faults(self, node: Expr) -> Iterator[str]:
        match node:
            case VectorSelector():
                yield from self._of_selector(node)
            case MatrixSelector():
                yield from self._of_selector(node.vector_selector)
            case ParenExpr() | SubqueryExpr() | UnaryExpr():
                yield from self.faults(node.expr)
            case AggregateExpr():
                yield from self.faults(node.expr)
                if node.modifier is not None and node.modifier.type == AggModifierType.By:
                    for label in sorted(set(node.modifier.labels) - self.of(node.expr)):
                        yield f"nothing in {node.expr} has the label {label}"
            case Call():
                for arg in node.args:
                    if isinstance(arg, Expr):
                        yield from self.faults(arg)
            case BinaryExpr():
                yield from self.faults(node.lhs)
                yield from self.faults(node.rhs)
                yield from self._joined(node)

    def _of_selector(self, node: VectorSelector) -> Iterator[str]:
        asked = selector(node)
        if asked.metric not in self._lists:
            yield f"no exporter serves {asked.metric}"
            return
        for label in sorted(asked.labels - frozenset(self._lists[asked.metric])):
            yield f"{asked.metric} has no label {label}"

    def _joined(self, node: BinaryExpr) -> Iterator[str]:
        modifier = node.modifier
        if modifier is None:
            return
        if modifier.matching is not None and modifier.matching.type == LabelModifierType.Include:
            for side in (node.lhs, node.rhs):
                for label in sorted(set(modifier.matching.labels) - self.of(side)):
                    yield f"{side} is joined on {label}, which it has not"
        one = node.lhs if str(modifier.card).endswith("OneToMany") else node.rhs
        for label in sorted(set(modifier.group_labels or ()) - self.of(one)):
            yield f"{one} is to give {label}, which it has not"
