from __future__ import annotations

from collections import Counter

import pytest
from tests.contract.corpus import CORPUS, MISSING, rows

from toolreplay.cassette.reading import read_recording
from toolreplay.wire.endpoints import Endpoint, endpoint
from toolreplay.wire.exchange import read_request, read_response
from toolreplay.wire.model import Reply

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=MISSING)

# Hand-edited into JSON that is none, beside a 200.
NO_JSON = "test_bedrock/test_bedrock_model_other_parameters.yaml"
# InvokeModel with a prompt for Claude 2, which is not the Messages API.
PROMPT = "test_anthropic/test_anthropic_2_completion"


def _name(call: Endpoint) -> str:
    if call.carrier == "messages":
        return "anthropic.messages" if call.operation == "create" else "anthropic.count_tokens"
    if call.carrier == "vertex":
        return "vertex.stream" if call.streaming else "vertex.raw"
    return f"bedrock.{call.carrier}{'-stream' if call.streaming else ''}"


def test_every_file_is_read_as_the_index_says() -> None:
    wrong = {}
    for row in rows():
        recording = read_recording(CORPUS / row["file"])
        calls = [(endpoint(item.request.method, item.request.url), item) for item in recording.interactions]
        statuses = Counter(str(item.response.status) for call, item in calls if call and item.response)
        endpoints = Counter(_name(call) for call, _ in calls if call)
        # Bedrock's own count of tokens has no messages at its top and is none of our calls.
        expected = {name: count for name, count in row["endpoints"].items() if name != "bedrock.count-tokens"}
        if (len(calls), endpoints) != (row["n_interactions"], expected) or (expected and statuses != row["statuses"]):
            wrong[row["file"]] = (len(calls), endpoints, statuses)

    assert wrong == {}


def test_every_call_is_parsed_and_every_reply_is_whole() -> None:
    wrong = []
    for row in rows():
        reasons = set()
        for item in read_recording(CORPUS / row["file"]).interactions:
            call = endpoint(item.request.method, item.request.url)
            if call is None or item.response is None or call.operation == "count_tokens" or PROMPT in row["file"]:
                continue
            if read_request(item.request) is None and NO_JSON not in row["file"]:
                wrong.append((row["file"], item.index, "no request"))
            reply = read_response(call, item.response)
            if reply is None or (isinstance(reply, Reply) and not reply.complete):
                wrong.append((row["file"], item.index, "no whole reply"))
            elif isinstance(reply, Reply) and reply.stop_reason is not None:
                reasons.add(reply.stop_reason)
        if PROMPT not in row["file"] and reasons != set(row["stop_reasons"]):
            wrong.append((row["file"], -1, f"stop reasons {reasons}"))

    assert wrong == []
