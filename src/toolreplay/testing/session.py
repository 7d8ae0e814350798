"""A scenario driven by a test in Python: the test calls its own agent, the session answers it and judges at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from toolreplay.errors import RunFailed, ScenarioError
from toolreplay.files.project import Project, find_project
from toolreplay.report.run_text import details
from toolreplay.runner.cast import Cast
from toolreplay.runner.clients import BOTO3, Clients, dummy_credentials
from toolreplay.runner.loops import OWN_LOOP, put_on_path
from toolreplay.runner.modes import session_side
from toolreplay.runner.offer import Offer
from toolreplay.runner.play import load_one, open_session
from toolreplay.runner.record import keep
from toolreplay.runner.replay import cassette_of
from toolreplay.runner.router import GUARD, INTERCEPTOR, ROUTER
from toolreplay.runner.run import Failure, Outcome, Run
from toolreplay.runner.sides import CassetteSide, ExtendingSide, LiveSide
from toolreplay.runner.toolbox import Toolbox
from toolreplay.runner.unplayable import without_unplayable
from toolreplay.runner.verdict import Ending, verdict
from toolreplay.scenario.model import Scenario
from toolreplay.scenario.request import history, prompt_content
from toolreplay.scenario.steps import ApproveStep, UserStep
from toolreplay.wire import mapping
from toolreplay.wire.model import Wire

from .skipping import is_skip

Message = Mapping[str, Any]


def session(path: str | Path, *, record_mode: str = "none", root: Path | None = None) -> ScenarioSession:
    """Play a scenario by hand: `with toolreplay.session("weather/parallel") as s: my_agent(s.client, s.messages)`.

    Leaving the block judges the run and raises `RunFailed` unless it passed.

    Args:
        path: a scenario file, `file.yaml::name`, or a path below the scenarios folder without its suffix.
        record_mode: when to ask the live API and write the scenario's cassette, if the run passes: `none`, `once`
            (there is no cassette), `new_episodes` (there is none, it is stale, or a request was not recorded), `all`
            and `rewrite`.
        root: the project's root; by default the one around the current folder.

    Raises:
        ScenarioError: the scenario cannot be found or read.
        RunFailed: its recording is missing or stale.
    """
    project = find_project(root)
    return ScenarioSession(load_one(path, project), project, record_mode=record_mode)


class ScenarioSession:
    """What a test gets from `toolreplay.session`, and the context manager that judges it.

    Attributes:
        scenario: the scenario that is played.
        run: the run, once the block has ended; None before.
    """

    def __init__(
        self,
        scenario: Scenario,
        project: Project,
        *,
        ended: Callable[[Run, Path | None], None] = lambda *_: None,
        record_mode: str = "none",
        stale: Callable[[str], None] | None = None,
    ) -> None:
        """Open nothing yet.

        Args:
            ended: told the run, and the cassette that was written.
            stale: told why a recording is stale, which is played all the same; None for a stale one to fail.
        """
        self.scenario = scenario
        self.run: Run | None = None
        self._ended = ended
        self._project = project
        put_on_path(project.root)
        cast = Cast(scenario)
        side = session_side(scenario, project, cast, record_mode, even_stale=stale is not None)
        if isinstance(side, Failure):
            raise _failed(Run(scenario.id, side.outcome, failures=(side,)))
        if isinstance(side, CassetteSide) and side.outgrown and stale is not None:
            stale(f"{scenario.path}:{scenario.line}: {side.outgrown}")
        self._side = side
        self._session = open_session(scenario, side, cast, hosts=project.allow_hosts)
        self._toolbox = Toolbox(scenario, self._session.calls)
        self._clients = Clients(None, live=side.live)
        self._ending = Ending()
        self._resources = ExitStack()
        self._started = time.perf_counter()

    # What the agent under test may need, in the shape of the scenario's wire.

    @property
    def client(self) -> Any:
        """A client: Anthropic, or boto3's `bedrock-runtime` for a scenario on Converse. Own clients work as well."""
        return self._clients.get(BOTO3 if self.scenario.wire is Wire.CONVERSE else "Anthropic")

    @property
    def async_client(self) -> Any:
        """An AsyncAnthropic client."""
        return self._clients.get("AsyncAnthropic")

    @property
    def model(self) -> str:
        """The model's id."""
        return self.scenario.model

    @property
    def max_tokens(self) -> int:
        """Of each reply."""
        return self.scenario.max_tokens

    @property
    def system(self) -> Any:
        """The system prompt, or None."""
        return self._offered("system")

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools' definitions."""
        found: list[dict[str, Any]] = self._offered("tools")
        return found

    @property
    def parameters(self) -> dict[str, Any]:
        """Further arguments of the client's method: `tool_choice`, `thinking`, ..."""
        found: dict[str, Any] = self._offered("parameters")
        return found

    @property
    def functions(self) -> dict[str, Callable[..., object]]:
        """The stubs by name; each takes its input as keyword arguments."""
        return self._toolbox.functions

    @property
    def async_functions(self) -> dict[str, Callable[..., object]]:
        """The same as coroutine functions."""
        return self._toolbox.async_functions

    def call_tool(self, name: str, input: Mapping[str, Any], id: str | None = None) -> object:  # noqa: A002
        """Run a stub by its tool's name."""
        return self._toolbox.call_tool(name, input, id)

    def wrap(self, function: Callable[..., object], name: str | None = None) -> Callable[..., object]:
        """A real tool in place of a stub: it runs, and what it does is held against what the agent sends.

        The model's replies stay the recorded ones; `run.drift` tells where results differ from those recorded.
        """
        return self._toolbox.wrap(function, name)

    @property
    def prompt(self) -> Any:
        """The first prompt's content."""
        return prompt_content(self._user_step(0))

    @property
    def messages(self) -> list[Message]:
        """The scenario's history with the first prompt, a list of its own each time."""
        start = history(self.scenario)
        if self.scenario.wire is Wire.CONVERSE:
            return [*mapping.messages(start), {"role": "user", "content": mapping.content(self.prompt)}]
        return [*start, {"role": "user", "content": self.prompt}]

    def next_prompt(self) -> Any:
        """Go on to the scenario's next step; gives its content, for the agent's own history."""
        steps = len(self.scenario.conversation)
        if self._ending.step == steps:
            raise ScenarioError(f"{self.scenario.id}: it has no further prompt; it has {steps}")
        self._ending.step += 1
        self._session.begin_prompt()
        return prompt_content(self._user_step(self._ending.step - 1))

    def __enter__(self) -> Self:
        if not self._session.live:
            self._resources.enter_context(dummy_credentials())
        self._resources.enter_context(INTERCEPTOR.hold())
        self._resources.enter_context(GUARD.hold())
        self._resources.enter_context(ROUTER.opened(self._session))
        self._ending.step = 1
        self._session.begin_prompt()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._clients.closers()  # asynchronous ones have nothing open in replay, and else are closed by `__aexit__`
        self._resources.close()
        if error is not None:
            self._ending.raised = f"{type(error).__name__}: {error}"
            if self._toolbox.caused(error):
                self._ending.crashed_by_tool = self._ending.raised
        found = verdict(self.scenario, self._session, self._toolbox, self._ending, self._side)
        if error is not None and is_skip(error):
            skipped = Failure(Outcome.SKIP, self.scenario.path, f"the test was skipped: {error}")
            found = replace(found, outcome=Outcome.SKIP, findings=(), failures=(skipped,))
        found, written = self._kept(found) if error is None else (found, None)
        self.run = replace(found, seconds=time.perf_counter() - self._started)
        self._ended(self.run, written)
        if self.run.outcome in (Outcome.PASS, Outcome.SKIP) or not (error is None or self._explains(error)):
            return  # an error of the test's own goes on its way
        # What the harness could not do may not be what the test failed of: then both are shown.
        raise _failed(self.run) from (None if error is None or self._replaces(error) else error)

    def _kept(self, run: Run) -> tuple[Run, Path | None]:
        """The run, and the cassette that was written of it."""
        side = self._side
        if not isinstance(side, LiveSide):
            return run, None
        run = without_unplayable(run)
        if run.outcome is not Outcome.PASS or not side.to_keep:
            return run, None
        path = cassette_of(self.scenario, self._project)
        recorded = side.recorded.playback.exchanges if isinstance(side, ExtendingSide) else ()
        return keep(run, path, self.scenario, OWN_LOOP, side.to_keep, self._project.secrets, recorded=recorded)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            for close in self._clients.closers():
                await close()
        finally:
            self.__exit__(kind, error, traceback)

    def _explains(self, error: BaseException) -> bool:
        """Whether the run says what the error itself does not: above all what the harness did not let out."""
        return self._replaces(error) or (
            isinstance(error, Exception) and self.run is not None and self.run.outcome is Outcome.ERROR
        )

    def _replaces(self, error: BaseException) -> bool:
        """Whether the run says better than the error itself what happened: a refusal, a miss, a tool let out."""
        return self._session.refused or self._toolbox.caused(error)

    def _user_step(self, index: int) -> UserStep:
        step = self.scenario.conversation[index]
        if isinstance(step, ApproveStep):
            raise ScenarioError(f"{self.scenario.id}: step {index + 1} is an approval and has no prompt")
        return step

    def _offered(self, name: str) -> Any:
        offer = Offer(self.scenario, self._session, self._toolbox, self._clients, None, "")
        return offer.fill((name,), [], lambda *_: True)[name]


def _failed(run: Run) -> RunFailed:
    return RunFailed("\n".join((f"{run.outcome} {run.id}", *details(run))), run)
