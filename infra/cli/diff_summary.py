"""`colo diff-summary`: a preview in the words of whoever reviews it."""

import argparse
import sys
from pathlib import Path

from infra.cli import UnfitError
from infra.review import FORMATS, UnreadableError, read, remarks, written

DANGER = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Where the preview is, and how to say what it means."""
    parser.description = (
        "Say what an update would do: what is in danger, which jobs run again and why, what there is more "
        f"and less of. Exit code: 0; {DANGER} with --fail-on-danger where data or definitions would be gone; "
        "1 if the preview failed or cannot be read."
    )
    parser.add_argument(
        "preview",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="output of `pulumi preview --json`; without it, stdin",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: %(default)s")
    parser.add_argument("--title", metavar="TEXT", help="a heading, such as the stack's name")
    parser.add_argument(
        "--fail-on-danger", action="store_true", help=f"exit with {DANGER} if there is danger"
    )


def run(args: argparse.Namespace) -> int:
    """Write the summary."""
    file: Path | None = args.preview
    try:
        preview = read(file.read_text("utf-8") if file else sys.stdin.read())
    except UnreadableError as error:
        raise UnfitError(str(error)) from None
    except UnicodeDecodeError:
        raise UnfitError("this is no UTF-8 text; give the output of `pulumi preview --json`") from None
    except OSError as error:
        raise UnfitError(
            f"{file or 'stdin'} cannot be read ({error.strerror}); name the output of `pulumi preview --json`"
        ) from None
    found = remarks(preview)
    print(written(found, preview.errors, args.format, args.title))
    if preview.errors:
        return 1
    endangered = any(remark.weight == "danger" for remark in found)
    return DANGER if endangered and args.fail_on_danger else 0
