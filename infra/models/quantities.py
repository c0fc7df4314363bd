"""Kubernetes quantities, exact: parsed to Decimal, written as the API server would write them.

A field holds the canonical text (`cpu: 0.5` is held as "500m"), so that two spellings of one amount
are equal and nothing differs after a refresh. `amount` gives the number back.
"""

import re
from decimal import ROUND_CEILING, Context, Decimal
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SYNTAX = re.compile(
    r"(?P<number>\+?(\d+(\.\d*)?|\.\d+))((?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<power>[+-]?\d{1,3}))?",
    re.ASCII,
)
_LONGEST = 40  # characters; more digits than any amount has
_EXACT = Context(prec=4 * _LONGEST)
_MEBI = Decimal(2**20)
_LARGEST = Decimal(2**63 - 1)  # the API server keeps quantities in 64 bits


@lru_cache(maxsize=4096)  # a stack repeats few amounts, and checks add them up
def amount(text: str) -> Decimal:
    """The exact number of cores, bytes or pieces that a quantity stands for."""
    match = _SYNTAX.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a quantity; write a number such as 500m, 2 or 1.5Gi")
    number, suffix = Decimal(match["number"]), match["suffix"] or ""
    if suffix in _BINARY:
        return _EXACT.multiply(number, Decimal(1024 ** _BINARY[suffix]))
    power = int(match["power"]) if match["power"] else _DECIMAL[suffix]
    return number.scaleb(power, _EXACT)


@lru_cache(maxsize=4096)
def canonical(value: Decimal, binary: bool) -> str:
    """As `resource.Quantity` prints it: the largest suffix that leaves a whole number."""
    if binary and value == value.to_integral_value() and value >= 1024:
        power = 0
        while value % 1024 == 0 and power < 6:
            value, power = value / 1024, power + 1
        return f"{value:.0f}{['', *_BINARY][power]}"
    for suffix, power in sorted(_DECIMAL.items(), key=lambda item: -item[1]):
        scaled = value.scaleb(-power, _EXACT)
        if value != 0 and scaled == scaled.to_integral_value():
            return f"{scaled:.0f}{suffix}"
    if value == 0:
        return "0"
    return f"{value.scaleb(9, _EXACT).to_integral_value(ROUND_CEILING):.0f}n"


def _parse(value: Any, what: str, example: str) -> tuple[Decimal, str]:
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise ValueError(f"{value!r} is not an amount of {what}; write one such as {example}")
    text = value if isinstance(value, str) else _plain(value)
    if len(text) > _LONGEST:
        raise ValueError(f"{text[:12]}... has {len(text)} characters; write less, such as {example}")
    try:
        number = amount(text)
    except ValueError:
        raise ValueError(f"{value!r} is not an amount of {what}; write one such as {example}") from None
    if number > _LARGEST:
        raise ValueError(f"{value!r} is larger than Kubernetes can count; write less, such as {example}")
    return number, canonical(number, binary=text.endswith("i"))


def _plain(value: int | float | Decimal) -> str:
    """Digits without an exponent; of a float the fewest that read back the same: 0.1 stays 0.1."""
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    # Only the length counts of what no quantity holds, and writing it out could take for ever.
    return format(exact, "f") if exact.is_finite() and abs(exact.adjusted()) < 1000 else str(exact)


def cpu(value: Any) -> str:
    """Cores: 0.5, "500m" and "5e-1" are the same."""
    _, text = _parse(value, "CPU", "500m or 2")
    if text[-1] in "nu":
        raise ValueError(f"{value!r} is finer than a thousandth of a core; write at least 1m")
    return text


def memory(value: Any) -> str:
    """Bytes. A figure under one mebibyte is a slip: `512m` is half a byte."""
    number, text = _parse(value, "memory", "512Mi or 2Gi")
    if 0 < number < _MEBI:
        guess = re.sub(r"[a-zA-Z]*$", "", str(value)) + "Mi"
        raise ValueError(f"{value!r} is {_bytes_in_words(number)}; did you mean {guess}?")
    return text


def size(value: Any) -> str:
    """Bytes of something that holds data."""
    text = memory(value)
    if text == "0":
        raise ValueError(f"{value!r} bytes hold nothing; write one such as 10Gi")
    return text


def _bytes_in_words(number: Decimal) -> str:
    return "less than a byte" if number < 1 else f"only {number.normalize():f} bytes"


def count(value: Any) -> str:
    """Pieces that come whole: GPUs, pods, objects."""
    _, text = _parse(value, "pieces", "4")
    if text[-1] in "num":
        raise ValueError(f"{value!r} is not whole; write a whole number such as 4")
    return text


def _schema(example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": ["string", "number"], "examples": [example]})


Cpu = Annotated[str, BeforeValidator(cpu), _schema("500m")]
Memory = Annotated[str, BeforeValidator(memory), _schema("2Gi")]
Size = Annotated[str, BeforeValidator(size), _schema("10Gi")]
Pieces = Annotated[str, BeforeValidator(count), _schema("4")]
