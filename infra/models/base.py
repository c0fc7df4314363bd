"""What every model shares: data that does not change, and no key that is not known."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator
from pydantic_core import PydanticCustomError

Loc = tuple[str | int, ...]
"""Where something stands in the data: keys and list positions."""
Fault = tuple[Loc, str]
"""Where, below the model, and `<what is wrong>; <what to write instead>`."""


class Model(BaseModel):
    """Plain data from a stack file: frozen, and a misspelt key is an error, not silence."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        allow_inf_nan=False,
    )

    def faults(self) -> Iterator[Fault]:
        """Rules that hold between fields; all that are broken, not the first."""
        yield from ()

    @model_validator(mode="after")
    def _no_faults(self) -> Self:
        raise_faults(self.faults())
        return self


def exactly_one(model: Model, *names: str) -> Iterator[Fault]:
    """A fault unless exactly one of these fields is given."""
    given = [name for name in names if getattr(model, name) is not None]
    if len(given) != 1:
        which = ("both" if len(names) == 2 else " and ".join(given)) if given else "none"
        if not given and len(names) == 2:
            which = "neither"
        *first, last = names
        yield (), f"{which} of {', '.join(first)} and {last} given; give exactly one"


def raise_faults(faults: Iterable[Fault]) -> None:
    """Refuse, with every fault, if there is one."""
    found = tuple(faults)
    if found:
        text = " / ".join(message for _, message in found)
        raise PydanticCustomError("faults", "{text}", {"text": text, "faults": found})


# Strict: "2" is not 2 and `yes` in quotes is not true, as for the Kubernetes API.
Flag = StrictBool
PositiveInt = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]
Count = Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)]
Weight = Annotated[int, Field(strict=True, ge=1, le=100)]
PriorityValue = Annotated[int, Field(strict=True, ge=-(2**31), le=2**31 - 1)]
