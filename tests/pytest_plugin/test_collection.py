from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from .projects import SCHEMA, Project, scenario

UNMARKED = scenario("unmarked").replace(SCHEMA, "# a comment").replace("version: 1", "# no version")
TABLE = "[tool.toolreplay]\n"
PLAIN = "[project]\nname = 'x'\n"


@dataclass(frozen=True)
class Case:
    """Which files of a project are collected; `files` are written beside its pyproject.toml."""

    id: str
    pyproject: str
    files: dict[str, str]
    collected: tuple[str, ...]
    arguments: tuple[str, ...] = field(default=())


BROKEN = "::the file can be read"
CASES = (
    Case("table", TABLE, {"scenarios/a.yaml": scenario("one")}, ("scenarios/a.yaml::one",)),
    Case(
        "a folder named in the table",
        f"{TABLE}scenarios = 'agents'\n",
        {"agents/a.yml": UNMARKED},
        (f"agents/a.yml{BROKEN}",),
    ),
    Case("the table names another folder", f"{TABLE}scenarios = 'agents'\n", {"scenarios/a.yaml": UNMARKED}, ()),
    Case(
        "ini",
        f"{PLAIN}[tool.pytest.ini_options]\ntoolreplay_scenarios = ['agents', 'more/b.yaml']\n",
        {"agents/a.yaml": scenario("one"), "more/b.yaml": UNMARKED, "more/c.yaml": UNMARKED},
        ("agents/a.yaml::one", f"more/b.yaml{BROKEN}"),
    ),
    Case(
        "ini before the table",
        f"{TABLE}[tool.pytest.ini_options]\ntoolreplay_scenarios = 'agents'\n",
        {"agents/a.yaml": UNMARKED, "scenarios/a.yaml": UNMARKED},
        (f"agents/a.yaml{BROKEN}",),
    ),
    Case("the schema line", PLAIN, {"anywhere/a.yaml": scenario("one")}, ("anywhere/a.yaml::one",)),
    Case("the schema line of a broken file", PLAIN, {"a.yaml": f"{SCHEMA}\nname: [\n"}, (f"a.yaml{BROKEN}",)),
    Case(
        "no configuration leaves a folder called scenarios alone",
        PLAIN,
        {"scenarios/a.yaml": UNMARKED, "scenarios/play.yaml": "- hosts: all\n"},
        (),
    ),
    Case(
        "a dependency is no configuration",
        "[project]\nname = 'x'\ndependencies = ['toolreplay']\n",
        {"scenarios/play.yaml": "- hosts: all\n"},
        (),
    ),
    Case(
        "yaml of others is left alone",
        TABLE,
        {
            "docker-compose.yml": "version: '3'\nservices: {}\n",
            "tests/data.yaml": "version: 1\nname: not a scenario\n",
            "tests/broken.yaml": "a: [\n\tb: {\n",
            "tests/other.yaml": "# yaml-language-server: $schema=https://example.test/ci.json\non: push\n",
            "tests/empty.yaml": "",
            "tests/schema.json": "{}",
        },
        (),
    ),
    Case(
        "cassettes among the scenarios",
        f"{TABLE}cassettes = 'scenarios/cassettes'\n",
        {"scenarios/a.yaml": scenario("one"), "scenarios/cassettes/a.yaml": "version: 1\ninteractions: []\n"},
        ("scenarios/a.yaml::one",),
    ),
    Case("hidden folders", TABLE, {"scenarios/.drafts/a.yaml": UNMARKED}, ()),
    Case(
        "several documents",
        TABLE,
        {"scenarios/a.yaml": f"{scenario('one')}---\n{scenario('two')}"},
        ("scenarios/a.yaml::one", "scenarios/a.yaml::two"),
    ),
    Case(
        "one broken document breaks its file and no other",
        TABLE,
        {"scenarios/a.yaml": f"{scenario('one')}---\nversion: 1\n", "scenarios/b.yaml": scenario("two")},
        (f"scenarios/a.yaml{BROKEN}", "scenarios/b.yaml::two"),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_files_that_are_collected(project: Project, case: Case) -> None:
    project.write("pyproject.toml", case.pyproject)
    for name, text in case.files.items():
        project.write(name, text)
    result = project.run("--collect-only", "-q", *case.arguments)
    assert tuple(line for line in result.outlines if "::" in line) == case.collected
    assert result.ret == (pytest.ExitCode.OK if case.collected else pytest.ExitCode.NO_TESTS_COLLECTED)


def test_a_mistake_in_the_table_ends_the_run_with_one_line(project: Project) -> None:
    project.write("pyproject.toml", "[tool.toolreplay]\nscenario = 'x'\n")
    for arguments in ((), ("-q",)):
        result = project.run(*arguments)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        (line,) = (line for line in result.errlines if line)
        assert line.startswith(f"ERROR: {project.path}/pyproject.toml: [tool.toolreplay] has no setting 'scenario'; ")


def test_a_broken_pyproject_of_somebody_else_is_none_of_ours(project: Project) -> None:
    project.write("pyproject.toml", "[tool.{{ cookiecutter.name }}\n")
    project.write("inner/pytest.ini", "[pytest]\n")
    project.write("inner/test_plain.py", "def test_plain():\n    pass\n")
    project.write("inner/data.yaml", "a: 1\n")
    project.run("inner").assert_outcomes(passed=1)


def test_a_scenario_below_a_broken_pyproject_says_what_to_mend(project: Project) -> None:
    project.write("pyproject.toml", "[tool.{{ cookiecutter.name }}\n")
    project.write("inner/pytest.ini", "[pytest]\n")
    project.write("inner/a.yaml", scenario("one"))
    result = project.run("inner")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["ERROR a.yaml: the file is broken", "*/pyproject.toml: *; mend the file"])


@dataclass(frozen=True)
class Header:
    id: str
    pyproject: str
    arguments: tuple[str, ...]
    lines: tuple[str, ...]


INI = "[tool.pytest.ini_options]\ntestpaths = ['tests']\n"
WHERE = "toolreplay: scenarios in {}, record mode none"
HEADERS = (
    Header("in sight", TABLE, (), (WHERE.format("scenarios"),)),
    Header("nothing configured", PLAIN, (), ()),
    Header(
        "hidden by testpaths",
        f"{TABLE}scenarios = ['scenarios', 'tests/agents']\n{INI}",
        (),
        (
            WHERE.format("scenarios, tests/agents"),
            "toolreplay: testpaths leaves out scenarios; add it there, or run: pytest scenarios",
        ),
    ),
    Header(
        "named in spite of testpaths",
        f"{TABLE}{INI}",
        ("scenarios/a.yaml::one",),
        (WHERE.format("scenarios"),),
    ),
    Header(
        "not among the arguments",
        TABLE,
        ("tests",),
        (WHERE.format("scenarios"), "toolreplay: not among this run's arguments: scenarios"),
    ),
    Header(
        "missing folder",
        f"{TABLE}scenarios = ['scenarios', 'scenaros']\n",
        (),
        (
            WHERE.format("scenarios, scenaros"),
            "toolreplay: there is no scenaros; create it, or mend the configuration",
        ),
    ),
    Header(
        "record mode",
        TABLE,
        ("--record-mode", "once"),
        ("toolreplay: scenarios in scenarios, record mode once",),
    ),
)


@pytest.mark.parametrize("case", HEADERS, ids=lambda case: case.id)
def test_header(project: Project, case: Header) -> None:
    project.write("pyproject.toml", case.pyproject)
    project.write("scenarios/a.yaml", scenario("one"))
    project.write("tests/agents/b.yaml", scenario("two"))
    project.write("tests/test_plain.py", "def test_plain():\n    pass\n")
    result = project.run("--collect-only", *case.arguments)
    assert tuple(line for line in result.outlines if line.startswith("toolreplay:")) == case.lines
