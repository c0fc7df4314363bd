"""What a PromQL expression asks for: its metrics, its labels, and where it cannot be read."""

import re
from dataclasses import dataclass
from functools import lru_cache

import promql_parser
from promql_parser import (
    AggregateExpr,
    BinaryExpr,
    Call,
    MatchOp,
    MatrixSelector,
    ParenExpr,
    StringLiteral,
    SubqueryExpr,
    VectorSelector,
)

_NAME = "__name__"
_CLOSES = {"(": ")", "[": "]", "{": "}"}
_LONGEST_SEARCHED = 1000  # characters; each word more is one more reading of the whole
_SELECTION = re.compile(r"\{[^{}]*\}|\"[^\"]*\"")
_PART = re.compile(r"[(+\-*/%^<>]|==|!=|\b(?:and|or|unless|atan2)\b", re.IGNORECASE)
MOST_PARTS = 120
"""Of an expression that is read. The parser's time and memory grow with the cube: 1000 take gigabytes."""
_BEHIND_A_FLAG = {"first_over_time", "limitk", "limit_ratio"}
"""Beside the functions of which the library itself says that they are experimental."""
_NO_SYNTAX = re.compile(r"\\.|\[\^?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)
"""What stands for characters in a regular expression, so that the rest is its structure."""
_REPEAT = r"(?:[*+?]|\{\d+(?:,\d*)?\})"
_NO_RE2 = (
    (re.compile(rf"{_REPEAT}\??+{_REPEAT}"), "repeats a repetition"),
    (re.compile(r"\(\?(?!P?<\w|[imsU]*(?:-[imsU]+)?[:)])"), "begins a group as RE2 does not know it"),
)
"""What the library reads and Prometheus, whose regular expressions are RE2's, refuses."""
_MOST_REPEATS = 1000
_OPERATORS = ((MatchOp.Equal, "="), (MatchOp.NotEqual, "!="), (MatchOp.Re, "=~"), (MatchOp.NotRe, "!~"))


class PromqlError(ValueError):
    """An expression that Prometheus would refuse; the text is one sentence."""

    def __init__(self, what: str, column: int | None) -> None:
        super().__init__(what)
        self.column = column
        """Where it goes wrong, counting from 1; None where the whole of it is wrong."""


@dataclass(frozen=True)
class Selector:
    """Series that an expression asks for: `up{job="x"}`."""

    metric: str | None
    """None where a pattern stands for it, as in `{__name__=~"node_.*"}`."""
    matchers: tuple[tuple[str, str, str], ...]
    """Label, operator (`=`, `!=`, `=~`, `!~`) and value."""

    @property
    def labels(self) -> frozenset[str]:
        """The labels that it looks at."""
        return frozenset(label for label, _, _ in self.matchers)


@lru_cache(maxsize=256)  # each expression is asked several things; nobody changes what was read
def parse(expression: str) -> promql_parser.Expr:
    """Read an expression; raises PromqlError.

    Of the syntax of Prometheus 2.45: what newer servers know beside it is refused.
    """
    if (found := parts(expression)) > MOST_PARTS:
        what = (
            f"{found} brackets and operators, more than the {MOST_PARTS} that are read; use recording rules"
        )
        raise PromqlError(what, None)
    try:
        read = promql_parser.parse(expression)
    except ValueError as error:
        raise PromqlError(str(error), _column(expression)) from None
    for node in nodes(read):
        if refused := _refused(node):
            raise PromqlError(refused, None)
    return read


def no_rule(expression: promql_parser.Expr) -> str | None:
    """What its result is, where that is none of which a rule can be made."""
    while isinstance(expression, ParenExpr):
        expression = expression.expr
    if isinstance(expression, MatrixSelector | SubqueryExpr):
        return "a range of values"
    return "a text" if isinstance(expression, StringLiteral) else None


def _refused(node: promql_parser.Expr) -> str | None:
    """What the library reads, and Prometheus refuses."""
    if isinstance(node, VectorSelector):
        if node.matchers.or_matchers:
            return "`or` between matchers is no PromQL; use a regular expression, or `or` between selectors"
        patterns = (m.value for m in node.matchers.matchers if _operator(m.op) in ("=~", "!~"))
        return next((what for pattern in patterns if (what := _no_re2(pattern))), None)
    if isinstance(node, Call | AggregateExpr):
        name = node.func.name if isinstance(node, Call) else str(node.op)
        if name in _BEHIND_A_FLAG or (isinstance(node, Call) and node.func.experimental):
            return f"{name} is an experimental function, which needs a flag of the server"
    return None


def _no_re2(pattern: str) -> str | None:
    if re.search(r"(?<!\\)(?:\\\\)*\\[uU]", pattern):
        return rf"the regular expression {pattern!r} has \u, and RE2 writes \x{{...}}"
    structure = _NO_SYNTAX.sub("_", pattern)
    times = (n for found in re.finditer(r"\{(\d+)(?:,(\d*))?\}", structure) for n in found.groups(""))
    if any(len(n) > 4 or int(n or 0) > _MOST_REPEATS for n in times):
        return f"the regular expression {pattern!r} repeats more than {_MOST_REPEATS} times"
    for refused, does in _NO_RE2:
        if found := refused.search(structure):
            return f"the regular expression {pattern!r} {does} ({found[0]})"
    return None


def parts(expression: str) -> int:
    """How many brackets and operators it has."""
    return len(_PART.findall(_SELECTION.sub("", expression)))


def selectors(expression: str) -> tuple[Selector, ...]:
    """All that it asks for, in the order of the text; raises PromqlError."""
    return tuple(selector(node) for node in nodes(parse(expression)) if isinstance(node, VectorSelector))


def metrics_used(expression: str) -> frozenset[str]:
    """The metrics that it names; raises PromqlError."""
    return frozenset(found.metric for found in selectors(expression) if found.metric)


def labels_used(expression: str) -> frozenset[str]:
    """Labels that it matches, groups by or joins on; raises PromqlError."""
    found: set[str] = set()
    for node in nodes(parse(expression)):
        if isinstance(node, VectorSelector):
            found |= selector(node).labels
        elif isinstance(node, AggregateExpr) and node.modifier:
            found |= set(node.modifier.labels)
        elif isinstance(node, BinaryExpr) and node.modifier:
            found |= set(node.modifier.matching.labels if node.modifier.matching else ())
            found |= set(node.modifier.group_labels or ())
    return frozenset(found)


def selector(node: VectorSelector) -> Selector:
    """The plain data of one selector."""
    alternatives = [node.matchers.matchers, *node.matchers.or_matchers]
    matchers = tuple((m.name, _operator(m.op), m.value) for some in alternatives for m in some)
    named = [value for label, op, value in matchers if label == _NAME and op == "="]
    return Selector(node.name or (named[0] if named else None), tuple(m for m in matchers if m[0] != _NAME))


def _operator(op: MatchOp) -> str:
    return next(sign for known, sign in _OPERATORS if known == op)  # they have no hash


def nodes(expression: promql_parser.Expr) -> tuple[promql_parser.Expr, ...]:
    """An expression and all that it consists of."""
    found: list[promql_parser.Expr] = []
    promql_parser.walk(expression, found.append)
    return tuple(found)


def _column(expression: str) -> int | None:
    """Behind the longest beginning that could be an expression, its open brackets closed.

    The library does not say where it stopped.
    """
    if len(expression) > _LONGEST_SEARCHED:
        return None
    for end in reversed([match.end() for match in re.finditer(r"\w+|[^\w\s]", expression)][:-1]):
        if _reads(expression[:end]):
            return end + 1 + len(expression[end:]) - len(expression[end:].lstrip())
    return None


def _reads(beginning: str) -> bool:
    closing, quote = [], ""
    for char in beginning:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'`":
            quote = char
        elif char in _CLOSES:
            closing.append(_CLOSES[char])
        elif closing and char == closing[-1]:
            closing.pop()
    try:
        promql_parser.parse(beginning + "".join(reversed(closing)))
    except ValueError:
        return False
    return not quote
