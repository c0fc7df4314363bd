"""Text files that a stack names, none of which is waited for or read without an end."""

import stat
from pathlib import Path

_MOST_BYTES = 16 * 2**20
"""What is larger is not even looked at; how much a ConfigMap holds is a check's business."""


class UnusableError(Exception):
    """What is there is no text of a usual size: `<what is wrong>; <what to do>`."""


def text_of(file: Path, if_too_large: str) -> str:
    """The file's text; raises UnusableError.

    `if_too_large`: what to do where it has more than 16 MiB.
    """
    try:
        mode = file.stat().st_mode
        if not stat.S_ISREG(mode):  # a pipe would be waited for, and a device has no end
            what = "a folder" if stat.S_ISDIR(mode) else "no plain file"
            raise UnusableError(f"is {what}; put a file there")
        with file.open("rb") as opened:
            raw = opened.read(_MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:
            raise UnusableError(f"has more than {_MOST_BYTES >> 20} MiB; {if_too_large}")
        return raw.decode("utf-8")
    except FileNotFoundError:
        raise UnusableError("is a link to nothing; put the file there itself") from None
    except OSError as error:
        raise UnusableError(f"cannot be read ({error.strerror}); mend its rights") from None
    except UnicodeDecodeError:
        raise UnusableError("is not UTF-8 text; save it as UTF-8") from None
