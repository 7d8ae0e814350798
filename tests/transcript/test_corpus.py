from __future__ import annotations

import json

import pytest

from tests.contract.corpus import CORPUS, MISSING, files, rows
from toolreplay.linter import check_file
from toolreplay.report.lines import rendered
from toolreplay.report.show_json import show_json
from toolreplay.report.show_text import show_lines
from toolreplay.transcript.comparison import compare
from toolreplay.transcript.read import read_transcript
from toolreplay.wire.request_difference import request_differences

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=MISSING)

_EVERY = 4  # of 562 files; the whole was run by hand, in 14 s


def test_every_recording_can_be_shown_and_is_equal_to_itself() -> None:
    recorded = turns = 0
    for path, row in list(zip(files(), rows(), strict=True))[::_EVERY]:
        transcript, again = read_transcript(path), read_transcript(path)
        findings = check_file(path).findings
        text = "".join(rendered(show_lines(transcript, findings)))
        assert len(text.splitlines()) > len(transcript.turns)
        assert all(character.isprintable() or character in "\n\u200c\u200d" for character in text), path
        json.dumps(show_json(transcript, findings))
        compared = compare(transcript, again)
        assert not compared.differs, path
        assert compared.equal == compared.turns == len(transcript.turns), path
        assert not any(one.ids for one in compared.conversations), path
        recorded += sum(number for kind, number in row["endpoints"].items() if "count" not in kind)
        turns += len(transcript.turns)
    assert 0.95 * recorded < turns <= recorded  # but for what the Messages API never took: a prompt for Claude 2


def test_every_turn_differs_from_the_next_one() -> None:
    for path in files()[:: 2 * _EVERY]:
        for conversation in read_transcript(path).conversations:
            for first, second in zip(conversation.turns, conversation.turns[1:], strict=False):
                same = first.request.body == second.request.body
                differences = list(request_differences(first.request, second.request))
                assert bool(differences) is not same, (path, first.number)
                assert all(str(one).isprintable() for one in differences)
