"""What the pages promise as text: length, links, every option named, nothing named that does not exist."""

from __future__ import annotations

import argparse
import re
import unicodedata
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from toolreplay.cli import COMMANDS
from toolreplay.pytest_plugin import pytest_addoption

from .player import PAGES, ROOT

EVERY = (*PAGES, *sorted((ROOT / "docs" / "rules").glob("*.md")), *sorted(ROOT.glob("docs/examples/**/*.*")))
LONGEST = {"README.md": 150, "ARCHITECTURE.md": 80}
WHAT_CI_RUNS = (
    'python -m pip install -e ".[bedrock]" && toolreplay run scenarios',
    'python -m pip install -e ".[dev]" && pytest',
)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", text(page), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(page: Path) -> Iterator[str]:
    words = re.sub(r"`[^`\n]*`", "", prose(page))
    for target in re.findall(r"\]\(([^)\s]+)\)", words):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path) if path else page
        if not found.exists() or (anchor and anchor not in anchors(found)):
            yield target


def unwanted(words: str) -> Iterator[str]:
    yield from (
        word for word in re.findall(r"\S+", words) if re.search(r"(?<![\w.])/(work|tmp|home|root|Users)/", word)
    )
    yield from (sign for sign in words if sign in "\u2013\u2014" or unicodedata.category(sign) == "So")


def options() -> list[str]:
    """Every option of every command and of the pytest plugin."""
    found = []
    for command in COMMANDS:
        parser = argparse.ArgumentParser(prog=command)
        import_module(f"toolreplay.cli.{command}").add_arguments(parser)
        found += [f"{command} {flag}" for action in parser._actions for flag in action.option_strings]
    plugin = pytest.Parser(_ispytest=True)
    pytest_addoption(plugin)
    for group in plugin._groups:
        found += [f"pytest {flag}" for option in group.options for flag in option.names()]
    return [*found, *(f"pytest {ini}" for ini in plugin._inidict), "pytest --record-mode"]


@pytest.mark.parametrize("page", EVERY, ids=name)
def test_no_dash_emoji_or_path_of_a_machine(page: Path) -> None:
    assert list(unwanted(text(page))) == []


def test_dashes_emoji_and_paths_are_seen() -> None:
    words = "a \u2014 b, see \u2705 /home/me/x and ../home/x and https://a.b/tmp/ and src/work/x"
    assert list(unwanted(words)) == ["/home/me/x", "\u2014", "\u2705"]


@pytest.mark.parametrize("page", [page for page in EVERY if page.suffix == ".md"], ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    assert list(broken_links(page)) == []


def test_links_that_lead_nowhere_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A title, here\n[a](#a-title-here) [b](#b) [c](page.md) [d](gone.md) [e](https://a.b)\n")
    assert list(broken_links(page)) == ["#b", "gone.md"]


@pytest.mark.parametrize("page", sorted(LONGEST))
def test_a_page_is_short(page: str) -> None:
    assert len(text(ROOT / page).splitlines()) <= LONGEST[page]


def undocumented(words: str) -> list[str]:
    flags = {option: re.escape(option.rpartition(" ")[2]) for option in options()}
    return [option for option, flag in flags.items() if not re.search(rf"(?<![\w-]){flag}(?![\w-])", words)]


def test_every_option_is_documented() -> None:
    assert undocumented("\n".join(map(text, PAGES))) == []


def test_an_option_that_is_not_documented_is_seen() -> None:
    everything = "\n".join(map(text, PAGES))
    assert "record --stale" not in undocumented(everything)
    assert "record --stale" in undocumented(everything.replace("--stale", "--stale-ones"))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_only_commands_that_exist_are_named(page: Path) -> None:
    named = set(re.findall(r"(?:^|`|\$ |&& |run: )toolreplay ([a-z]+)", text(page), re.MULTILINE))
    assert named <= {*COMMANDS, "is", "tests"}


@pytest.mark.parametrize("command", WHAT_CI_RUNS)
def test_the_readme_has_the_two_commands(command: str) -> None:
    assert command in text(ROOT / "README.md").splitlines()


def test_the_loop_in_the_readme_is_the_one_of_the_example() -> None:
    from .blocks import blocks

    files = {block.file: block.text for block in blocks(text(ROOT / "README.md")) if block.file}
    example = ROOT / "docs" / "examples" / "weather"
    assert files == {path: text(example / path) for path in ("scenarios/two_cities.yaml", "agent.py")}
