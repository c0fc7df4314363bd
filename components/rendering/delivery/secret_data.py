"""Values as the `data` of a Secret has them."""

from base64 import b64encode

import pulumi


def encoded(value: pulumi.Input[str]) -> pulumi.Output[str]:
    """`data` and not `stringData`: of that the API server forgets which keys it has made."""
    return pulumi.Output.from_input(value).apply(lambda text: b64encode(text.encode()).decode())
