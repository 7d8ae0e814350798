from __future__ import annotations

import pytest

from .projects import Project, scenario

PLAIN = """\
import http.client
import vcr

def is_patched():
    return http.client.HTTPSConnection.__module__.startswith("vcr")
"""
UNPATCHED = "from plain import is_patched\n\ndef test_plain():\n    assert not is_patched()\n"
WITH_VCR = """\
import urllib.request
import vcr
from plain import is_patched

CASSETTE = '''\
version: 1
interactions:
- request: {method: GET, uri: "https://example.test/", body: null, headers: {}}
  response: {status: {code: 200, message: OK}, headers: {}, body: {string: from the cassette}}
'''

def test_cassette_of_its_own(tmp_path):
    (tmp_path / "c.yaml").write_text(CASSETTE)
    with vcr.use_cassette(str(tmp_path / "c.yaml"), record_mode="none"):
        assert is_patched()
        with urllib.request.urlopen("https://example.test/") as response:
            assert response.read() == b"from the cassette"
    assert not is_patched()
"""
# The tool runs while the scenario is played: it sees what is in place then, and how often it was put there.
TOOL = """\
from toolreplay.runner.router import INTERCEPTOR
from plain import is_patched

places = []

def weather(city):
    assert is_patched()
    places.append(id(INTERCEPTOR._patches))
    return "4 degrees"
"""
PLACES = """\
from seen import places

def test_places():
    assert len(places) == 3
    assert places[0] == places[1]
"""
AT_THE_END = """\
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish():
    from plain import is_patched
    print("\\npatched at the end:", is_patched())
"""


@pytest.fixture
def mixed(project: Project) -> Project:
    project.write("plain.py", PLAIN)
    project.write("seen.py", TOOL)
    project.write("conftest.py", AT_THE_END)
    for name in ("a", "b", "e"):
        project.write(f"scenarios/{name}.yaml", scenario(f"one {name}", stub=[{"call": "seen:weather"}]))
    project.write("scenarios/test_c.py", UNPATCHED)
    project.write("scenarios/test_d.py", WITH_VCR)
    return project


END = "patched at the end: False"


def test_patches_are_in_place_around_scenarios_alone(mixed: Project) -> None:
    mixed.write("scenarios/test_f.py", PLACES)
    files = ("a.yaml", "b.yaml", "test_c.py", "e.yaml", "test_d.py", "test_f.py")
    result = mixed.run("-s", *(f"scenarios/{name}" for name in files))
    result.assert_outcomes(passed=6)
    assert END in result.outlines


def test_a_cassette_of_the_users_beside_scenarios(mixed: Project) -> None:
    around = ("test_d.py", "a.yaml", "test_c.py", "b.yaml")
    mixed.run("-s", *(f"scenarios/{name}" for name in around)).assert_outcomes(passed=4)


def test_a_cassette_open_over_scenarios(mixed: Project) -> None:
    mixed.write("conftest.py", AT_THE_END + OPEN)
    result = mixed.run("-s", *(f"scenarios/{name}" for name in ("test_g.py", "a.yaml", "test_h.py")))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    mixed.write("scenarios/test_g.py", "def test_g(cassette):\n    pass\n")
    mixed.write("scenarios/test_h.py", "def test_h(cassette):\n    assert cassette.play_count == 0\n")
    result = mixed.run("-s", *(f"scenarios/{name}" for name in ("test_g.py", "a.yaml", "test_h.py")))
    result.assert_outcomes(passed=3)


OPEN = """
import vcr

@pytest.fixture(scope="session")
def cassette(tmp_path_factory):
    with vcr.use_cassette(str(tmp_path_factory.mktemp("c") / "c.yaml"), record_mode="none") as found:
        yield found
"""


def test_the_first_failure_leaves_nothing_behind(mixed: Project) -> None:
    mixed.write("scenarios/a.yaml", scenario("one a", expect={"final_text": {"contains": "snow"}}))
    result = mixed.run("-s", "-x", "scenarios/a.yaml", "scenarios/b.yaml")
    result.assert_outcomes(failed=1)
    assert END in result.outlines


def test_an_interrupt_ends_the_run_cleanly(mixed: Project) -> None:
    mixed.write("scenarios/b.yaml", scenario("one b", loop="agent:interrupted"))
    result = mixed.run("-s", "scenarios/a.yaml", "scenarios/b.yaml", "scenarios/e.yaml")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["toolreplay: 1 scenario (1 PASS), *", "*KeyboardInterrupt*"])
    assert END in result.outlines
    assert "INTERNALERROR" not in str(result.stdout)


def test_a_test_with_the_marker_is_not_patched(mixed: Project) -> None:
    mixed.write("scenarios/test_c.py", f"import pytest\n\npytestmark = pytest.mark.toolreplay\n{UNPATCHED}")
    mixed.run("scenarios/a.yaml", "scenarios/test_c.py", "scenarios/b.yaml").assert_outcomes(passed=3)
