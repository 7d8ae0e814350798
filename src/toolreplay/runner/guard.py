"""The socket guard: in replay no connection leaves the machine, whatever library opens it.

The interceptor answers HTTP clients that it knows. Anything else (another HTTP stack, a database driver, a client that
was built over its own transport) ends at a socket, and there it is refused by name.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

Refuses = Callable[[str], str | None]

_LOCAL: Final = frozenset({"localhost", "", "0.0.0.0", "::"})  # noqa: S104  (nothing is bound)
_NAMES: Final = ("connect", "connect_ex")


class Guard:
    """Patches the socket module while anybody holds it. Thread safe.

    Args:
        refuses: why a host may not be reached from here, or None if it may.
    """

    def __init__(self, refuses: Refuses) -> None:
        self._refuses = refuses
        self._lock = threading.Lock()
        self._holders = 0
        self._before: dict[str, Any] = {}
        self._resolved: set[str] = set()  # addresses of hosts that may be reached

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep watch for the length of the block."""
        with self._lock:
            self._holders += 1
            if self._holders == 1:
                self._install()
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if not self._holders:
                    self._remove()

    def _install(self) -> None:
        for name in _NAMES:
            original = getattr(socket.socket, name)
            self._before[name] = original
            setattr(socket.socket, name, self._guarded(original))
        resolve = self._before["getaddrinfo"] = socket.getaddrinfo

        def getaddrinfo(host: Any, *arguments: Any, **named: Any) -> Any:
            why = None if _is_local(host) else self._refuses(_text(host))
            if why is not None:
                raise socket.gaierror(socket.EAI_FAIL, why)
            found = resolve(host, *arguments, **named)
            self._resolved.update(str(address[0]) for *_, address in found)
            return found

        socket.getaddrinfo = getaddrinfo

    def _remove(self) -> None:
        for name in _NAMES:
            setattr(socket.socket, name, self._before[name])
        socket.getaddrinfo = self._before["getaddrinfo"]
        self._resolved.clear()

    def _guarded(self, original: Any) -> Any:
        def connect(own: socket.socket, address: Any) -> Any:
            if own.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
                host = _text(address[0])
                why = None if host in self._resolved else self._refuses(host)
                if why is not None:
                    raise ConnectionRefusedError(why)
            return original(own, address)

        return connect


def _is_local(host: object) -> bool:
    text = _text(host)
    if text in _LOCAL:
        return True
    try:
        return ipaddress.ip_address(text).is_loopback
    except ValueError:
        return False


def _text(host: object) -> str:
    if isinstance(host, bytes | bytearray):
        return bytes(host).decode("latin-1")
    return "" if host is None else str(host)
