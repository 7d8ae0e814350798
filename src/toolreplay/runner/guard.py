"""The socket guard: in replay no connection leaves the machine, whatever library opens it.

The interceptor answers HTTP clients that it knows. Anything else (another HTTP stack, a database driver, a client that
was built over its own transport) ends at a socket, and there it is refused by name. What opens sockets in C, past
Python's `socket` module (uvloop, pycares, libpq), is not seen.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from toolreplay.cassette.forking import lock_over_forks

Refuses = Callable[[str], str | None]

_LOCAL: Final = frozenset({"", "localhost", "0.0.0.0", "::"})  # noqa: S104  (nothing is bound)
_RESOLVERS: Final = ("getaddrinfo", "gethostbyname", "gethostbyname_ex")
# The methods that take an address, and where it stands among their arguments; None for the last.
_SENDERS: Final = {"connect": 0, "connect_ex": 0, "sendto": None, "sendmsg": 3}


class Guard:
    """Patches the socket module while anybody holds it. Thread safe.

    Args:
        refuses: why a host may not be reached from here, or None if it may.
    """

    def __init__(self, refuses: Refuses) -> None:
        self._refuses = refuses
        self._lock = lock_over_forks()
        self._holders = 0
        self._patches: list[_Patch] = []
        self._resolved: set[str] = set()  # addresses of hosts that may be reached

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep watch for the length of the block."""
        with self._lock:
            # What was patched before us and put back while we held has taken us out.
            if self._patches and not all(patch.is_in_place for patch in self._patches):
                self._remove()
            if not self._patches:
                self._install()
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if not self._holders:
                    self._remove()

    def _install(self) -> None:
        kind = _socket_class()
        self._patches = [
            *(_Patch(kind, name, self._sender) for name in _SENDERS),
            *(_Patch(socket, name, self._resolver) for name in _RESOLVERS),
        ]

    def _remove(self) -> None:
        while self._patches:
            self._patches.pop().remove()
        self._resolved.clear()

    def _sender(self, name: str, original: Any) -> Any:
        def send(own: socket.socket, *arguments: Any) -> Any:
            why = self._why_not(own, _address(arguments, _SENDERS[name]))
            if why is None:
                return original(own, *arguments)
            if name == "connect_ex":  # it tells by a number
                return errno.ECONNREFUSED
            raise ConnectionRefusedError(why)

        return send

    def _why_not(self, own: socket.socket, address: Any) -> str | None:
        if not self._holders or own.family not in (socket.AF_INET, socket.AF_INET6) or not address:
            return None
        host = _text(address[0])
        return None if host in self._resolved or is_local(host) else self._refuses(host)

    def _resolver(self, _name: str, original: Any) -> Any:
        def resolve(host: Any, *arguments: Any, **named: Any) -> Any:
            if not self._holders:
                return original(host, *arguments, **named)
            why = None if is_local(_text(host)) else self._refuses(_text(host))
            if why is not None:
                raise socket.gaierror(socket.EAI_FAIL, why)
            found = original(host, *arguments, **named)
            self._resolved.update(_addresses(found))
            return found

        return resolve


class _Patch:
    """One function replaced. What somebody else has put in its place since is left alone, and then calls through us."""

    def __init__(self, owner: Any, name: str, make: Callable[[str, Any], Any]) -> None:
        self._owner = owner
        self._name = name
        self._original = _unguarded(getattr(owner, name))
        self._ours = make(name, self._original)
        self._ours.toolreplay_original = self._original
        setattr(owner, name, self._ours)

    @property
    def is_in_place(self) -> bool:
        """Whether a call still comes to us first."""
        return getattr(self._owner, self._name) is self._ours

    def remove(self) -> None:
        """Put back what stood before."""
        there = getattr(self._owner, self._name)
        if _unguarded(there) is there:  # somebody else's
            return
        setattr(self._owner, self._name, self._original)  # first, so that no thread finds nothing
        above = self._owner.__mro__[1:] if isinstance(self._owner, type) else ()
        if any(vars(kind).get(self._name) is self._original for kind in above):  # it was inherited
            delattr(self._owner, self._name)


def _unguarded(function: Any) -> Any:
    """What stood there before us: another tool may have put a function of ours back after its time."""
    return getattr(function, "toolreplay_original", function)


def is_local(host: str) -> bool:
    """Whether a name or an address is this machine."""
    name = host.lower().rstrip(".")
    if name in _LOCAL or name.endswith(".localhost") or name == socket.gethostname().lower():
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def _socket_class() -> type[socket.socket]:
    """The class of the standard library; a tool that forbids sockets (pytest-socket) puts a subclass in its place."""
    return next(kind for kind in socket.socket.__mro__ if (kind.__module__, kind.__name__) == ("socket", "socket"))


def _address(arguments: tuple[Any, ...], at: int | None) -> Any:
    """The address among a call's arguments; None where it has none, as on a socket that is connected already."""
    if at is None:
        return arguments[-1] if len(arguments) > 1 else None
    return arguments[at] if len(arguments) > at else None


def _addresses(found: Any) -> Iterator[str]:
    """The addresses in what a look-up gives: those of `getaddrinfo`, `gethostbyname` or `gethostbyname_ex`."""
    if isinstance(found, str):
        yield found
    elif isinstance(found, tuple):
        yield from found[2]
    else:
        yield from (_text(address[0]) for *_, address in found)


def _text(host: object) -> str:
    if isinstance(host, bytes | bytearray):
        return bytes(host).decode("latin-1")
    return "" if host is None else str(host)
