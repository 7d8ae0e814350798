from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.corpus import CORPUS, MISSING, files
from toolreplay.cassette.reading import read_recording
from toolreplay.linter import Located, Report, check_paths

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=MISSING)

# June 2024: a wrong id, which the API took then and refuses today.
TAKEN_THEN = "anthropic_completion_tools_call_with_tool_result_stream.yaml"
# Its scrubber renamed one half of a pair.
SCRUBBED = "messages_preserve_system_role_after_server_tool_result.yaml"
# Its body lacks the last bracket.
BODY_CUT = (
    "test_bedrock_model_other_parameters.yaml",
    2,
    "exchange 0: the request body is no JSON: Expecting ',' delimiter",
)
REFUSED = "TestSyncRunTools/f59a9391-643b-422c-96dc-1f28bc7ea4d7.json"


@pytest.fixture(scope="module")
def report() -> Report:
    return check_paths([CORPUS])


def _status(located: Located) -> int:
    interaction = read_recording(Path(located.file)).interactions[located.exchange]
    return interaction.response.status if interaction.response else 0


def test_all_files_are_read(report: Report) -> None:
    told = [(Path(one.file).name, one.line, one.reason) for one in report.damaged]
    assert (report.files, report.unreadable, told) == (len(files()), (), [BODY_CUT])


def test_no_request_that_was_answered_has_an_error(report: Report) -> None:
    alarms = [
        (located.file, located.exchange, located.finding.code, located.finding.path, located.finding.message)
        for located in report.findings
        if located.finding.is_error and _status(located) == 200 and not located.file.endswith((TAKEN_THEN, SCRUBBED))
    ]

    assert alarms == []


def test_the_wrong_id_of_2024_is_found(report: Report) -> None:
    found = [
        (located.finding.code, located.finding.path)
        for located in report.findings
        if located.file.endswith(TAKEN_THEN) and located.finding.is_error
    ]

    assert found == [("TR101", "messages[1].content[1]"), ("TR102", "messages[2].content[0]")]


def test_a_recorded_refusal_is_found_where_the_api_saw_it(report: Report) -> None:
    (located,) = [located for located in report.findings if located.file.endswith(REFUSED) and located.finding.is_error]
    response = read_recording(Path(located.file)).interactions[1].response

    assert response is not None
    assert (located.finding.code, located.exchange, located.finding.path) == (
        "TR102",
        1,
        "messages[1].content[0]",
    )
    assert located.finding.api == response.json["error"]["message"]
