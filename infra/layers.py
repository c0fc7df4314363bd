"""`extends:`: a stack file says only in what it differs from another."""

from pathlib import Path
from typing import Any, NamedTuple

from infra.checks.findings import Finding
from infra.models.base import Loc
from infra.reading import UNREADABLE, Layer, StackFileError, UnreadableError, read, refused
from infra.source import Origin, Source

_MOST_LAYERS = 20


def layered(file: Path) -> Layer:
    """A file with everything that it extends beneath it; raises StackFileError."""
    try:
        return _beneath(read(file), file, (file.resolve(),))
    except UnreadableError as error:
        raise refused(file, 1, UNREADABLE, str(error)) from None


def _beneath(top: Layer, file: Path, above: tuple[Path, ...]) -> Layer:
    extended = top.source.data.get("extends")
    if not isinstance(extended, str) or not extended:
        return top  # if it is there at all, the model says what belongs there
    base = file.parent / extended
    try:
        under = read(base)
    except UnreadableError as error:
        raise _at_extends(top, UNREADABLE, f"{extended}: {error}") from None
    if base.resolve() in above:
        text = f"{extended} would stand beneath itself; extend another file, or none"
        raise _at_extends(top, "extends-loop", text)
    if len(above) == _MOST_LAYERS:
        text = f"{extended} would be one of more than {_MOST_LAYERS} files, each beneath another"
        raise _at_extends(top, "extends-too-deep", f"{text}; say more in fewer files")
    under = _beneath(under, base, (*above, base.resolve()))
    return Layer(merged(under.source, top.source), (*under.faults, *top.faults))


def _at_extends(top: Layer, code: str, text: str) -> StackFileError:
    return StackFileError([*top.faults, top.source.locate(Finding.of(code, ("extends",), text))])


def merged(under: Source, over: Source) -> Source:
    """Mappings merge by key and lists of named things by name; null removes a key; all else replaces."""
    origins: dict[Loc, Origin] = {}
    data = _both(_Node(under, (), under.data), _Node(over, (), over.data), (), origins)
    return Source(data, origins)


class _Node(NamedTuple):
    """A part of one file's data."""

    source: Source
    loc: Loc
    value: Any

    def child(self, key: str | int) -> "_Node":
        return _Node(self.source, (*self.loc, key), self.value[key])


def _both(under: _Node, over: _Node, to: Loc, origins: dict[Loc, Origin]) -> Any:
    """What both files say about one place."""
    if isinstance(under.value, dict) and isinstance(over.value, dict):
        origins[to] = over.source.origin(over.loc)
        return _mappings(under, over, to, origins)
    if _all_named(under.value) and _all_named(over.value):
        origins[to] = over.source.origin(over.loc)
        return _lists(under, over, to, origins)
    return _copied(over, to, origins)


def _mappings(under: _Node, over: _Node, to: Loc, origins: dict[Loc, Origin]) -> dict[str, Any]:
    made = {}
    for key in dict.fromkeys([*under.value, *over.value]):
        if key not in over.value:
            made[key] = _copied(under.child(key), (*to, key), origins)
        elif key not in under.value:
            made[key] = _copied(over.child(key), (*to, key), origins)
        elif over.value[key] is not None:
            made[key] = _both(under.child(key), over.child(key), (*to, key), origins)
    return made


def _lists(under: _Node, over: _Node, to: Loc, origins: dict[Loc, Origin]) -> list[Any]:
    # Of several with one name the first takes part; the check of names complains of the others.
    partners: dict[str, int] = {}
    for i, item in enumerate(over.value):
        partners.setdefault(item["name"], i)
    made: list[Any] = []
    met = set()
    for i, item in enumerate(under.value):
        partner, place = partners.pop(item["name"], None), (*to, len(made))
        if partner is None:
            made.append(_copied(under.child(i), place, origins))
        else:
            met.add(partner)
            made.append(_both(under.child(i), over.child(partner), place, origins))
    for i in range(len(over.value)):
        if i not in met:
            made.append(_copied(over.child(i), (*to, len(made)), origins))
    return made


def _all_named(value: Any) -> bool:
    return (
        isinstance(value, list)
        and value != []
        and all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in value)
    )


def _copied(node: _Node, to: Loc, origins: dict[Loc, Origin]) -> Any:
    origins[to] = node.source.origin(node.loc)
    if isinstance(node.value, dict):
        return {key: _copied(node.child(key), (*to, key), origins) for key in node.value}
    if isinstance(node.value, list):
        return [_copied(node.child(i), (*to, i), origins) for i in range(len(node.value))]
    return node.value
