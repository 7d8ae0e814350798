from __future__ import annotations

import subprocess
import sys

import pytest

from toolreplay.contract.catalogue import all_rules

PROGRAMS = [
    "from toolreplay.contract.catalogue import all_rules; print(len(all_rules()))",
    (
        "from toolreplay.contract.catalogue import MESSAGE_RULES, all_rules; from toolreplay.contract.fold import *;"
        "from toolreplay.wire.model import Message; from toolreplay.contract.entry import check;"
        "assert check([{'role': 'user', 'content': ''}]); print(len(all_rules()))"
    ),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=["list", "judge"])
def test_nobody_has_to_import_the_rules(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert int(done.stdout) == len(all_rules()) > 50


def test_which_rules_are_judged_without_the_history() -> None:
    alone = {code for code, rule in all_rules().items() if rule.alone}
    assert alone == {
        *("TR201", "TR202", "TR203", "TR204", "TR207", "TR208", "TR209"),
        *("TR301", "TR302", "TR303", "TR304", "TR305", "TR306", "TR307", "TR308", "TR309", "TR310"),
    }
