"""A scenario file as a collector."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolreplay.errors import ToolreplayError

from .failure import unexpected
from .fuzz_item import FuzzItem
from .items import BrokenItem, ScenarioItem
from .patches import Patches
from .settings import project_of

if TYPE_CHECKING:
    from collections.abc import Iterator


class ScenarioFile(pytest.File):
    """A YAML file of scenarios."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test for each scenario; a file that cannot be read is one failing test, no collection error."""
        from toolreplay.scenario.load import load_file

        Patches.of(self.config)
        try:
            scenarios = load_file(self.path, project_of(self.config).root)
        except ToolreplayError as error:
            yield BrokenItem.from_parent(self, name=_BROKEN, problem=str(error))
        except Exception as error:  # noqa: BLE001  (a fault of ours is shown as one, and bounded like every other)
            yield BrokenItem.from_parent(self, name=_BROKEN, problem="\n".join(unexpected(error)))
        else:
            fuzzed = self.config.getoption("--toolreplay-fuzz") and self.path.parent.name != "regressions"
            for scenario in scenarios:
                yield ScenarioItem.from_parent(self, name=scenario.name, scenario=scenario)
                if fuzzed:
                    yield FuzzItem.from_parent(self, name=f"{scenario.name}[fuzz]", scenario=scenario)


_BROKEN = "the file can be read"
