"""Mistakes that people make: each puts one into a sound stack, and says where it then stands."""

from tests.generated.mistakes import jobs, parts, writing
from tests.generated.mistakes.register import MISTAKES, Mistake

__all__ = ["MISTAKES", "Mistake", "jobs", "parts", "writing"]
