from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from toolreplay.errors import UsageError
from toolreplay.files.project import find_project
from toolreplay.files.volatile import Volatile, volatiles


@dataclass(frozen=True)
class Case:
    id: str
    settings: str
    volatile: tuple[Volatile, ...] = ()
    max_age: int | None = None
    allow_hosts: tuple[str, ...] = ()


def _project(root: Path, settings: str) -> Case:
    (root / "pyproject.toml").write_text(f"[tool.toolreplay]\n{settings}\n", encoding="utf-8")
    project = find_project(root)
    return Case("", "", project.volatile, project.max_age, project.allow_hosts)


GOOD = (
    Case("nothing", ""),
    Case("an empty list", "volatile = []"),
    Case("a field", "volatile = [{path = 'metadata.user_id'}]", (Volatile(path=("metadata", "user_id")),)),
    Case(
        "every item and one item",
        "volatile = [{path = 'messages[*].content[0].text', as = 'FIRST'}]",
        (Volatile(path=("messages", None, "content", 0, "text"), name="FIRST"),),
    ),
    Case("an item of a list", "volatile = [{path = '[1]'}]", (Volatile(path=(1,)),)),
    Case(
        "looks, in two tables",
        '[[tool.toolreplay.volatile]]\nregex = \'\\d{4}\'\nas = "YEAR"\n[[tool.toolreplay.volatile]]\nregex = "a+"',
        (Volatile(looks=re.compile(r"\d{4}"), name="YEAR"), Volatile(looks=re.compile("a+"))),
    ),
    Case("days", "max_age = 30", max_age=30),
    Case("hosts", "allow_hosts = ['a.example', '192.0.2.1']", allow_hosts=("a.example", "192.0.2.1")),
    Case("one host", "allow_hosts = 'a.example'", allow_hosts=("a.example",)),
)


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.id)
def test_what_is_read(case: Case, tmp_path: Path) -> None:
    found = _project(tmp_path, case.settings)
    assert (found.volatile, found.max_age, found.allow_hosts) == (case.volatile, case.max_age, case.allow_hosts)


_ENTRY = 'write {path = "metadata.user_id"} or {regex = "...", as = "DATE"}'
_TEXTS = "write its values as strings that are not empty"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            "volatile = 'DATE'",
            'volatile is \'DATE\'; write a list of {path = "..."} and {regex = "...", as = "DATE"}',
        ),
        ("volatile = ['DATE']", f"volatile holds 'DATE'; {_ENTRY}"),
        ("volatile = [{as = 'DATE'}]", f"volatile holds {{'as': 'DATE'}}; {_ENTRY}"),
        ("volatile = [{path = 'a', regex = 'b'}]", f"volatile holds {{'path': 'a', 'regex': 'b'}}; {_ENTRY}"),
        ("volatile = [{regexp = 'a'}]", f"volatile holds {{'regexp': 'a'}}; {_ENTRY}"),
        ("volatile = [{path = 5}]", f"volatile holds {{'path': 5}}; {_TEXTS}"),
        ("volatile = [{path = ''}]", f"volatile holds {{'path': ''}}; {_TEXTS}"),
        ("volatile = [{regex = 'a', as = ''}]", f"volatile holds {{'regex': 'a', 'as': ''}}; {_TEXTS}"),
        (
            "volatile = [{path = 'messages[x]'}]",
            "volatile: path 'messages[x]' cannot be read at '[x]'; write messages[*].content",
        ),
        ("volatile = [{path = 'a..b'}]", "volatile: path 'a..b' cannot be read at '..b'; write messages[*].content"),
        (
            "volatile = [{regex = '('}]",
            "volatile: regex '(': missing ), unterminated subpattern at position 0; mend it",
        ),
        (
            "volatile = [{regex = 'x*'}]",
            "volatile: regex 'x*' matches nothing at all, everywhere; make it longer",
        ),
        ("max_age = 0", "max_age is 0; write a number of days"),
        ("max_age = true", "max_age is True; write a number of days"),
        ("max_age = '30 days'", "max_age is '30 days'; write a number of days"),
        ("max_age = 1.5", "max_age is 1.5; write a number of days"),
        ("allow_hosts = 5", "allow_hosts is 5; write a string"),
    ],
)
def test_what_cannot_be_read_is_one_line(settings: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        _project(tmp_path, settings)
    assert str(caught.value) == f"{tmp_path / 'pyproject.toml'}: [tool.toolreplay] {message}"


def test_the_setting_alone() -> None:
    assert volatiles([{"path": "a"}]) == (Volatile(path=("a",)),)
