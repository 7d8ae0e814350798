# ruff: noqa: E501  (tables of one case a line)
from __future__ import annotations

import base64
import copy
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from toolreplay.files.yaml import read_documents
from toolreplay.scenario.explain import explain
from toolreplay.scenario.faults import InvalidScenarioError, MissingPathError, shown_path
from toolreplay.scenario.load import find_files, load_file, load_text, select
from toolreplay.scenario.model import Scenario
from toolreplay.scenario.source import Source
from toolreplay.scenario.steps import ApproveStep, Turns, UserStep
from toolreplay.wire.model import Wire

from .build import FULL, HEAD, HELLO, TOOL, scenario

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    for name in ("scenarios/weather", "scenarios/.hidden", "cassettes"):
        (project / name).mkdir(parents=True)
    for name in ("weather/parallel.yaml", "weather/alone.yml", "b.yaml", ".hidden/c.yaml"):
        (project / "scenarios" / name).write_text(HEAD + HELLO)
    (project / "scenarios" / "notes.txt").write_text("x")
    (project / "scenarios" / "weather" / "a.png").write_bytes(PNG)
    (tmp_path / "outside.png").write_bytes(PNG)
    return project


def test_a_whole_scenario() -> None:
    found = scenario(FULL)

    assert (found.id, found.path, found.name, found.document, found.line) == (
        "scenarios/x.yaml::everything",
        "scenarios/x.yaml",
        "everything",
        0,
        2,
    )
    assert found.wire is Wire.MESSAGES
    assert [tool.key for tool in found.tools] == ["get_weather", "web_search", "bash"]
    assert found.line_of("tools", 0, "stub", 1, "times") == 20
    assert found.line_of("tools", 0, "nothing") == 14
    first, second = found.conversation
    assert isinstance(first, UserStep)
    assert isinstance(second, ApproveStep)
    assert second.approve == {"bash": "deny"}
    assert first.expect is not None
    assert first.expect.turns == Turns(min=1, max=3)
    assert [entry.outcome for entry in found.tools[0].stub] == [
        "return",
        "return",
        "raise",
        "error",
        "garbage",
        "call",
        "deny",
        "hang",
        "exit",
        "blocks",
        None,
    ]


def test_defaults() -> None:
    found = scenario(HEAD + HELLO)

    assert found.model_dump(exclude={"version", "name", "model", "conversation"}) == {
        "max_tokens": 1024,
        "system": None,
        "wire": "messages",
        "stream": False,
        "thinking": None,
        "betas": (),
        "tool_choice": None,
        "extra_body": {},
        "tools": (),
        "history": (),
        "script": None,
        "loop": None,
        "max_turns": 20,
        "match": None,
        "subagents": (),
        "allow": (),
        "deadline": 10.0,
        "time_limit": None,
    }


def test_scenarios_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        scenario(HEAD + HELLO).name = "y"


def test_a_file_is_named_from_the_root(root: Path) -> None:
    [found] = load_file(root / "scenarios" / "weather" / "parallel.yaml", root)

    assert found.id == "scenarios/weather/parallel.yaml::x"


def test_a_broken_file_is_named_from_the_root(root: Path) -> None:
    path = root / "scenarios" / "b.yaml"
    path.write_text(f"{HEAD}{HELLO}nme: x\n")

    with pytest.raises(InvalidScenarioError) as caught:
        load_file(path, root)

    assert str(caught.value) == "scenarios/b.yaml:5: nme: unknown field; did you mean 'name'?"


def test_a_file_that_is_not_there(root: Path) -> None:
    with pytest.raises(InvalidScenarioError) as caught:
        load_file(root / "scenarios" / "none.yaml", root)

    hint = "check the path and its permissions"
    assert str(caught.value) == f"scenarios/none.yaml:1: cannot be read: No such file or directory; {hint}"


@dataclass(frozen=True)
class Media:
    id: str
    block: str
    expected: dict[str, Any] | str


MEDIA = [
    Media(
        "image",
        "{type: image, file: a.png}",
        {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()},
    ),
    Media(
        "upwards",
        "{type: image, file: ../weather/a.png}",
        {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()},
    ),
    Media("text", "{type: document, file: a.txt}", {"type": "text", "media_type": "text/plain", "data": "é"}),
    Media("source", "{type: image, source: {type: url, url: u}}", {"type": "url", "url": "u"}),
    Media("missing", "{type: image, file: b.png}", "file: there is no file 'b.png' beside the scenario; add it or mend its name"),
    Media("outside", "{type: image, file: ../../../outside.png}", "file: '../../../outside.png' is outside the project; move the file beside the scenario"),
    Media("link-outside", "{type: image, file: link.png}", "file: 'link.png' is outside the project; move the file beside the scenario"),
    Media("absolute", "{type: image, file: /a.png}", "file: '/a.png' is outside the project; move the file beside the scenario"),
    Media("suffix", "{type: image, file: a.bmp}", "file: 'a.bmp' is no image that the API takes; it takes .gif, .jpeg, .jpg, .png, .webp"),
    Media("folder", "{type: image, file: folder.png}", "file: 'folder.png' cannot be read: Is a directory; mend the file"),
    Media("latin-1", "{type: document, file: b.txt}", "file: 'b.txt' is not UTF-8; save it as UTF-8"),
    Media("number", "{type: image, file: 1}", "file: expected the name of a file beside the scenario"),
    Media("both", "{type: image, file: a.png, source: {}}", "file: a block has either 'file' or 'source'; remove one"),
]  # fmt: skip


@pytest.mark.parametrize("case", MEDIA, ids=lambda case: case.id)
def test_files_in_content(case: Media, root: Path) -> None:
    folder = root / "scenarios" / "weather"
    (folder / "a.txt").write_text("é", encoding="utf-8")
    (folder / "b.txt").write_bytes(b"\xe9")
    (folder / "link.png").symlink_to(root.parent / "outside.png")
    (folder / "folder.png").mkdir()
    path = folder / "media.yaml"
    path.write_text(f"{HEAD}conversation:\n  - user:\n      - {case.block}\n")

    if isinstance(case.expected, str):
        with pytest.raises(InvalidScenarioError) as caught:
            load_file(path, root)
        where = "scenarios/weather/media.yaml:6: conversation[0].user[0]"
        assert str(caught.value) == f"{where}.{case.expected}"
    else:
        [found] = load_file(path, root)
        [step] = found.conversation
        assert isinstance(step, UserStep)
        assert isinstance(step.user[0], dict)
        assert step.user[0]["source"] == case.expected
        assert set(step.user[0]) == {"type", "source"}


def test_files_stand_in_stubs_system_and_history_too(root: Path) -> None:
    image = "[{type: image, file: a.png, cache_control: {type: ephemeral}}]"
    path = root / "scenarios" / "weather" / "media.yaml"
    path.write_text(
        f"{HEAD}{TOOL}    stub: {{blocks: {image}}}\nsystem: {image}\n"
        f"history: [{{role: user, content: {image}}}]\n{HELLO}"
    )

    [found] = load_file(path, root)

    block = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()},
        "cache_control": {"type": "ephemeral"},
    }
    assert found.tools[0].stub[0].blocks == (block,)
    assert found.system == (block,)
    assert found.history == ({"role": "user", "content": [block]},)


def test_a_text_has_no_files_beside_it() -> None:
    with pytest.raises(InvalidScenarioError) as caught:
        load_text(f"{HEAD}system: [{{type: image, file: a.png}}]\n{HELLO}")

    what = "files can be named only in a scenario that is a file itself"
    assert str(caught.value) == f"<scenario>:4: system[0].file: {what}"


def test_find_files(root: Path) -> None:
    def found(*paths: str) -> list[str]:
        return [path.relative_to(root).as_posix() for path in find_files([root / path for path in paths], root)]

    everything = ["scenarios/b.yaml", "scenarios/weather/alone.yml", "scenarios/weather/parallel.yaml"]
    assert found("scenarios") == everything
    assert found("scenarios/weather/parallel.yaml", "scenarios") == [everything[2], *everything[:2]]
    assert found("scenarios/notes.txt") == ["scenarios/notes.txt"]
    assert found("cassettes") == []
    assert found() == []


def test_relative_paths_are_found_from_the_root(root: Path) -> None:
    assert find_files(["scenarios/b.yaml"], root) == [root / "scenarios" / "b.yaml"]


@dataclass(frozen=True)
class Absent:
    id: str
    path: str
    expected: str


ABSENT = [
    Absent("near-file", "scenarios/weather/paralel.yaml", "scenarios/weather/paralel.yaml: no such file or folder; did you mean 'scenarios/weather/parallel.yaml'?"),
    Absent("near-folder", "scenarios/wether/parallel.yaml", "scenarios/wether/parallel.yaml: no such file or folder; did you mean 'scenarios/weather'?"),
    Absent("nothing-near", "scenarios/zzz", "scenarios/zzz: no such file or folder; check the path"),
    Absent("below-a-file", "scenarios/b.yaml/c", "scenarios/b.yaml/c: no such file or folder; check the path"),
]  # fmt: skip


@pytest.mark.parametrize("case", ABSENT, ids=lambda case: case.id)
def test_paths_that_do_not_exist(case: Absent, root: Path) -> None:
    with pytest.raises(InvalidScenarioError) as caught:
        find_files([root / case.path], root)

    assert str(caught.value) == case.expected


def test_select() -> None:
    both = load_text(f"{HEAD}{HELLO}---\nversion: 1\nname: other\nmodel: m\n{HELLO}")

    assert select(both, "w.yaml::other") is both[1]
    with pytest.raises(InvalidScenarioError) as near:
        select(both, "w.yaml::othr")
    with pytest.raises(InvalidScenarioError) as far:
        select(both, "w.yaml::zzz")
    assert str(near.value) == "w.yaml: no scenario is named 'othr'; did you mean 'other'?"
    assert str(far.value) == "w.yaml: no scenario is named 'zzz'; known are 'x', 'other'"


def test_paths_in_messages() -> None:
    assert shown_path(("tools", 0, "stub", 1, "raise", "type")) == "tools[0].stub[1].raise.type"
    assert shown_path(("extra_body", "a b", 0)) == "extra_body['a b'][0]"
    assert shown_path(()) == ""


def _places(value: object, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _places(inner, (*at, key))


def _with(data: Any, at: tuple[str | int, ...], value: object) -> Any:
    if not at:
        return value
    changed = copy.copy(data)
    changed[at[0]] = _with(data[at[0]], at[1:], value)
    return changed


WHOLE = read_documents(FULL, "w.yaml")[0].data
ODD: tuple[object, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    10**400,
    "",
    "x",
    "\ud800",
    "a\nb",
    [],
    [[]],
    [1],
    {},
    {"a": 1},
    {"type": 1},
    {"any": 0},
)


@pytest.mark.parametrize("at", list(_places(WHOLE)), ids=lambda at: shown_path(at) or "whole")
def test_no_value_anywhere_breaks_loading(at: tuple[str | int, ...]) -> None:
    for value in ODD:
        data = _with(WHOLE, at, value)
        try:
            Scenario.model_validate(data, context=Source())
        except ValidationError as error:
            faults = explain(error, data)
            assert faults
            assert all(fault.what and "\n" not in fault.what for fault in faults)
            assert not any(str(step).startswith("<") for fault in faults for step in fault.at)


def test_a_file_outside_the_root_has_one_path_whatever_way_leads_there(root: Path) -> None:
    outside = root.parent / "elsewhere"
    outside.mkdir()
    (outside / "a.yaml").write_text(HEAD + HELLO)
    (root / "link").symlink_to(outside)
    ways = (outside, root / ".." / "elsewhere", root / "scenarios" / ".." / ".." / "elsewhere", root / "link")
    assert {load_file(way / "a.yaml", root)[0].path for way in ways} == {f"{outside.resolve().as_posix()}/a.yaml"}
    inside = root / "scenarios" / "weather" / ".." / "b.yaml"
    assert load_file(inside, root)[0].path == "scenarios/b.yaml"


@pytest.mark.parametrize(
    ("path", "reason"), [("n" * 300, "File name too long"), ("loop", "Too many levels of symbolic links")]
)
def test_a_path_that_cannot_be_looked_at(path: str, reason: str, root: Path) -> None:
    (root / "loop").symlink_to(root / "loop")
    with pytest.raises(MissingPathError) as caught:
        find_files(["scenarios", root / path], root)
    assert str(caught.value) == f"{root / path}: cannot be read: {reason}; check the path"


def test_a_folder_that_may_not_be_looked_into(root: Path) -> None:
    (root / "scenarios" / "weather").chmod(0)
    if os.access(root / "scenarios" / "weather", os.R_OK):
        pytest.skip("this user may look everywhere")
    try:
        with pytest.raises(MissingPathError, match="scenarios/weather: cannot be read: Permission denied; check"):
            find_files([root / "scenarios"], root)
    finally:
        (root / "scenarios" / "weather").chmod(0o755)
