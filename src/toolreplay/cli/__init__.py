"""The command line: each command parses, calls one function, and prints."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from toolreplay import __version__
from toolreplay.errors import ToolreplayError, UsageError

# name: what `toolreplay --help` says. A command's module is imported when it is called.
COMMANDS: Final = {
    "run": "play scenarios against their cassettes",
    "record": "record the scenarios' cassettes from the live API",
    "check": "check recordings and requests that exist",
    "convert": "convert recordings to this format or to vcrpy's",
    "show": "print a recorded conversation",
    "diff": "compare two recordings in words of the conversation",
    "new": "write a scenario, empty or from a recording",
    "fuzz": "fuzz a loop with failing tools and a failing API",
    "explain": "print the page of a rule",
    "schema": "print the JSON Schema of scenario files",
}
USAGE_ERROR: Final = 2
BROKEN: Final = 3
_INTERRUPTED: Final = 130
_CLOSED_PIPE: Final = 141  # what a shell says of a command whose reader went away; the work may not be done


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0 good, 1 FAIL, 2 usage, 3 ERROR, 4 STALE, 130 interrupted, 141 closed pipe."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="toolreplay", description="Replay and check the tool-use conversations your code has with Claude."
    )
    parser.add_argument("--version", action="version", version=f"toolreplay {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    wanted = next((word for word in words if not word.startswith("-")), None)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        if name == wanted:
            module = import_module(f".{name}", __name__)
            module.add_arguments(command)
            command.set_defaults(call=module.call)
    _print_anything()
    options = parser.parse_args(words)
    try:
        code: int = options.call(options)
        sys.stdout.flush()  # a closed pipe shows here at the latest, not when the interpreter ends
    except UsageError as error:
        print(f"toolreplay: {error}", file=sys.stderr)
        return USAGE_ERROR
    except ToolreplayError as error:
        print(error, file=sys.stderr)
        return BROKEN
    except KeyboardInterrupt:
        print("toolreplay: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        # Else the interpreter would fail once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CLOSED_PIPE
    return code


def _print_anything() -> None:
    """Escape what the terminal's encoding cannot show: names in any script, and lone surrogates of hostile tools."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
