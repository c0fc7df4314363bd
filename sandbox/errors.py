"""The one error of the sandbox: a sentence that says what is wrong and what to do."""


class SandboxError(Exception):
    """What a user sees instead of a traceback; the message names the cause and the remedy."""
