"""The folder of scripts beside a stack file, of which only those are read that jobs run or that these import.

A script finds the files that lie beside it, as Python does on anybody's machine: what it imports from
there is mounted with it.
"""

import ast
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from infra.plain_files import UnusableError, text_of

_MOST_PARSED = 2**20
"""Characters of a script; a larger one fits into no ConfigMap."""


@dataclass(frozen=True)
class Scripts:
    """What the folder holds."""

    texts: Mapping[str, str]
    """Of the scripts that jobs name, and of what they import."""
    unusable: Mapping[str, str]
    """Those of them that are there, but no text: `<what is wrong>; <what to do>`."""
    others: tuple[str, ...]
    """Names of the rest."""


def scripts(folder: Path, named: Collection[str]) -> Scripts:
    """Read the scripts that jobs name, and what they import from beside them."""
    there = {file.name: file for file in sorted(folder.glob("*.py"))}
    texts: dict[str, str] = {}
    unusable: dict[str, str] = {}
    wanted = [name for name in there if name in named]
    for name in wanted:  # grows on the way
        try:
            texts[name] = text_of(there[name], "move the bulk into the image")
        except UnusableError as error:
            unusable[name] = str(error)
        else:
            wanted += [found for found in _imported(texts[name]) if found in there and found not in wanted]
    return Scripts(texts, unusable, tuple(name for name in there if name not in wanted))


def with_imports(script: str, texts: Mapping[str, str]) -> tuple[str, ...]:
    """The files of a script: itself, then what it imports and what that imports, if it lay beside it."""
    names = [script]
    for name in names:  # grows on the way
        names += [found for found in _imported(texts.get(name, "")) if found not in names]
    return tuple(names)


@lru_cache
def syntax_fault(name: str, text: str) -> str | None:
    """`train.py, line 3: invalid syntax`, None where this Python can read it or it is too large to try."""
    if len(text) > _MOST_PARSED:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(text.encode(), name, "exec", dont_inherit=True)  # as bytes, a mark or a coding counts
    except SyntaxError as fault:
        return f"{name}, line {fault.lineno}: {fault.msg}" if fault.lineno else f"{name}: {fault.msg}"
    except ValueError as fault:  # of bytes that are no text
        return f"{name}: {fault}"
    except (RecursionError, MemoryError):
        return None
    return None


@lru_cache
def _imported(text: str) -> tuple[str, ...]:
    """Files that would be imported if they lay beside: `import a.b` and `from a import b` ask for a.py."""
    if len(text) > _MOST_PARSED:
        return ()
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text.encode())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    modules = {}
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module]
        modules.update(dict.fromkeys(name.partition(".")[0] for name in names))
    return tuple(f"{module}.py" for module in modules if module.isascii())
