"""What a person can mend reaches them as its sentence, without the traceback that Pulumi puts before it.

Pulumi's server of dynamic providers (`pulumi.dynamic.__main__`) answers whatever a method raises with
`traceback.format_exc()`, and a read or a delete has no other way to say that it failed: no exception of
Pulumi's, no result. So that one function of that process learns which faults have been put in words.
All others are defects of ours, and keep the traceback that finds them.
"""

import sys
import traceback
from typing import Any


def tell(kind: type[Exception]) -> None:
    """From now on this process formats a fault of this kind as its own text alone."""
    whole = traceback.format_exc

    def format_exc(*args: Any, **options: Any) -> str:
        fault = sys.exc_info()[1]
        return str(fault) if isinstance(fault, kind) else whole(*args, **options)

    traceback.format_exc = format_exc
