"""The folder of scripts beside a stack file, of which only those are read that jobs name."""

import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

_MOST_BYTES = 16 * 2**20
"""What is larger is not even looked at; how much a ConfigMap holds is a check's business."""


@dataclass(frozen=True)
class Scripts:
    """What the folder holds."""

    texts: Mapping[str, str]
    """Of the scripts that jobs name."""
    unusable: Mapping[str, str]
    """Those that jobs name and that are there, but no text: `<what is wrong>; <what to do>`."""
    others: tuple[str, ...]
    """Names of the rest."""


def scripts(folder: Path, named: Collection[str]) -> Scripts:
    """Read the scripts that jobs name."""
    texts, unusable, others = {}, {}, []
    for file in sorted(folder.glob("*.py")):
        if file.name not in named:
            others.append(file.name)
            continue
        try:
            texts[file.name] = _text(file)
        except FileNotFoundError:
            unusable[file.name] = "is a link to nothing; put the file there itself"
        except OSError as error:
            unusable[file.name] = f"cannot be read ({error.strerror}); mend its rights"
        except UnicodeDecodeError:
            unusable[file.name] = "is not UTF-8 text; save it as UTF-8"
        except ValueError as error:
            unusable[file.name] = str(error)
    return Scripts(texts, unusable, tuple(others))


def _text(file: Path) -> str:
    mode = file.stat().st_mode
    if not stat.S_ISREG(mode):  # a pipe would be waited for, and a device has no end
        raise ValueError(f"is {'a folder' if stat.S_ISDIR(mode) else 'no plain file'}; put a file there")
    with file.open("rb") as opened:
        raw = opened.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise ValueError(f"has more than {_MOST_BYTES >> 20} MiB; move the bulk into the image")
    return raw.decode("utf-8")
