"""The `colo` command. Each subcommand is a module of this package, imported when it is called."""

import argparse
import importlib
import io
import keyword
import os
import sys
from collections.abc import Sequence
from typing import Protocol, cast

COMMANDS = {
    "check": "find everything that is wrong with stack files",
    "render": "write what a stack would apply as YAML, without a cluster",
    "alert": "send a test alert to a receiver, and say whether it arrived",
    "diff-summary": "say what a preview means, in a reviewer's words",
    "import": "turn TFJob manifests into entries of a stack file",
    "doctor": "find out what is wrong with the jobs of a stack, and where the chain breaks",
    "status": "show the jobs of a stack, and what each tenant uses of its quota",
    "report": "say what colocation brings, over a window of time",
    "schema": "write the JSON schema by which editors check stack files",
    "sandbox": "a Kubernetes cluster on this machine, to try stacks on",
}


class Command(Protocol):
    """What a subcommand's module offers."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare its options."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it, and return the exit code."""


class UnfitError(Exception):
    """A command cannot do what was asked; the message says why and what to do."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; whoever called gets a sentence, never a traceback."""
    given = list(sys.argv[1:] if argv is None else argv)
    chosen = next((word for word in given if not word.startswith("-")), None)
    parser, found = _parser(chosen)
    try:
        return _carried_out(parser, found, given, chosen)
    except KeyboardInterrupt:
        print("colo: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `colo … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (UnfitError, OSError) as error:
        print(f"colo {chosen}: {error}", file=sys.stderr)
        return 1
    except Exception as error:
        return _surprised(str(chosen), error)


def _carried_out(
    parser: argparse.ArgumentParser, found: Command | None, given: Sequence[str], chosen: str | None
) -> int:
    """The exit code; what was printed is on its way by then."""
    try:
        args = parser.parse_args(given)
        if found is None:
            parser.print_help()
            return 2
        if (unfit := _surroundings()) is not None:
            print(f"colo {chosen}: {unfit}", file=sys.stderr)
            return 1
        if isinstance(
            sys.stdout, io.TextIOWrapper
        ):  # a terminal or pipe may know fewer characters than a file
            sys.stdout.reconfigure(errors="backslashreplace")
        return found.run(args)
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()  # a closed pipe shows here, not in a message of the interpreter at its end


def _surroundings() -> str | None:
    """What keeps any command from working; closed streams that matter less become empty ones."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 (lives as long as the program)
    if sys.stderr is None:  # print would write to stdout instead
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        return "stdout is closed; leave it open, or send it to a file"
    try:
        os.getcwd()
    except OSError:
        return "the working directory is gone; change into one that is there"
    return None


def _parser(chosen: str | None) -> tuple[argparse.ArgumentParser, Command | None]:
    """The parser; only the chosen subcommand is imported, so that help stays quick."""
    parser = argparse.ArgumentParser(
        prog="colo", description="Offline training beside online services on one cluster."
    )
    commands = parser.add_subparsers(metavar="COMMAND")
    found = None
    for name, purpose in COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=f"{purpose[:1].upper()}{purpose[1:]}.")
        if name == chosen:
            module = f"{name}_" if keyword.iskeyword(name) else name.replace("-", "_")
            found = cast(Command, importlib.import_module(f"infra.cli.{module}"))
            found.configure(command)
    return parser, found


def _surprised(command: str, error: Exception) -> int:
    """A defect of this program: one line, and the traceback in a file for whoever mends it."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", prefix=f"colo-{command}-", suffix=".log", delete=False, encoding="utf-8"
    ) as log:
        traceback.print_exception(error, file=log)
    kind = type(error).__name__
    text = " ".join(str(error).split())
    print(
        f"colo {command}: failed unexpectedly ({kind}: {text}); details are in {log.name}",
        file=sys.stderr,
    )
    return 1
