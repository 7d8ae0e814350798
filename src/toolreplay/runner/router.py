"""Which session a request belongs to.

One patch of the HTTP stacks serves every session of the process. A session is found by a context variable first,
which tasks and `contextvars.copy_context` carry along; a thread that was started without its context falls back on
the only session that is open. With several open and no context there is no telling, and the request is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Final
from urllib.parse import urlsplit

from toolreplay.cassette.forking import lock_over_forks
from toolreplay.cassette.interceptor import Interceptor
from toolreplay.wire.endpoints import endpoint
from toolreplay.wire.http import HttpRequest, HttpResponse
from toolreplay.wire.model import Wire
from toolreplay.wire.refusal import refusal

from .guard import Guard, is_local
from .session import Session

_LATE: Final = "when its session had ended; end the thread that sends it before the loop returns"
_current: ContextVar[Session | None] = ContextVar("toolreplay_session", default=None)


class Router:
    """Hands each request of the process to its session."""

    def __init__(self) -> None:
        self._lock = lock_over_forks()
        self._open: list[Session] = []
        self._closed: list[frozenset[str]] = []

    @contextmanager
    def opened(self, session: Session) -> Iterator[Session]:
        """Have requests of this context (and of its tasks and threads) go to the session."""
        with self._lock:
            self._open.append(session)
        token = _current.set(session)
        try:
            yield session
        finally:
            with self._lock:
                self._open.remove(session)
            with suppress(ValueError):  # closed in another context than it was opened in, which ends with it
                _current.reset(token)

    @contextmanager
    def closed(self, hosts: Collection[str] = ()) -> Iterator[None]:
        """Let nothing out between sessions either: a thread of the loop's may outlive its run.

        Args:
            hosts: what may be reached all the same.
        """
        allowed = frozenset(host.lower() for host in hosts)
        self._closed.append(allowed)
        try:
            yield
        finally:
            self._closed.remove(allowed)

    def answer(self, request: HttpRequest) -> HttpResponse | None:
        """What the request's session says; where none is open None, which lets it out, or a refusal (`closed`)."""
        session = _current.get()
        if session is not None:
            return session.answer(request)
        with self._lock:
            candidates = tuple(self._open)
        if not candidates:
            return self._unclaimed(request)
        if len(candidates) == 1:
            return candidates[0].answer(request)
        return _ambiguous(request, candidates)

    def observe(self, request: HttpRequest, response: HttpResponse) -> None:
        """Pass on what came back for a request that was let out; the session that let it out knows it."""
        for session in self._candidates():
            session.observe(request, response)

    def watches(self, request: HttpRequest) -> bool:
        """Whether a session let the request out and waits for its response."""
        return any(session.waits_for(request) for session in self._candidates())

    def refuses(self, host: str) -> str | None:
        """Why a connection to a host may not be opened: a session that replays is open, and lets nothing out."""
        sessions = self._candidates()
        if not sessions:
            return f"toolreplay: a connection to {host} was opened {_LATE}" if self.keeps_in(host) else None
        if any(session.may_reach(host) for session in sessions):
            return None
        message = f"a connection to {host} was opened, and nothing goes out in replay"
        for session in sessions:
            session.trouble(f"{message}; if it must, write allow_hosts = ['{host}'] under [tool.toolreplay]")
        return f"toolreplay: {message}"

    def _unclaimed(self, request: HttpRequest) -> HttpResponse | None:
        if not self.keeps_in(urlsplit(request.url).hostname or ""):
            return None
        found = endpoint(request.method, request.url)
        return refusal(found.wire if found else Wire.MESSAGES, f"toolreplay: a request was sent {_LATE}")

    def keeps_in(self, host: str) -> bool:
        """Whether nothing goes out to a host while no session is open."""
        return not is_local(host) and any(host.lower() not in allowed for allowed in self._closed)

    def _candidates(self) -> tuple[Session, ...]:
        current = _current.get()
        if current is not None:
            return (current,)
        with self._lock:
            return tuple(self._open)


def _ambiguous(request: HttpRequest, candidates: tuple[Session, ...]) -> HttpResponse:
    names = ", ".join(sorted(session.name for session in candidates))
    message = (
        f"toolreplay: a request came from a thread that belongs to no session, and several are open ({names}); "
        "start the thread with contextvars.copy_context().run"
    )
    for session in candidates:
        session.trouble(message)
    found = endpoint(request.method, request.url)
    return refusal(found.wire if found else Wire.MESSAGES, message)


ROUTER: Final = Router()
INTERCEPTOR: Final = Interceptor(ROUTER)
GUARD: Final = Guard(ROUTER.refuses)
