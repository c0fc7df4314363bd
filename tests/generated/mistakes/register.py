"""What a mistake is, and the list that each joins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from infra.models.base import Loc
from tests.generated.words import Data


@dataclass(frozen=True)
class Mistake:
    """One mistake, and the code of the finding that it must lead to."""

    code: str
    make: Callable[[Data, Random], Loc | None]
    """Changes a stack; None where the stack has no place for it."""

    @property
    def name(self) -> str:
        return self.make.__name__


MISTAKES: list[Mistake] = []


def leads_to(code: str) -> Callable[[Callable[[Data, Random], Loc | None]], None]:
    def register(make: Callable[[Data, Random], Loc | None]) -> None:
        MISTAKES.append(Mistake(code, make))

    return register


def one(stack: Data, kind: str, pick: Random) -> tuple[Loc, Data]:
    """Any item of a list of the stack, and its place."""
    i = pick.randrange(len(stack[kind]))
    return (kind, i), stack[kind][i]


def of_a_quota(stack: Data, pick: Random, **quota: Any) -> tuple[Loc, Data]:
    """Any job, whose tenant has this quota and no LimitRange."""
    at, job = one(stack, "jobs", pick)
    tenant = next(tenant for tenant in stack["tenants"] if tenant["name"] == job["tenant"])
    tenant.pop("limit_range", None)
    tenant.pop("quota_priorities", None)
    tenant["quota"] = quota["quota"]
    return at, job
