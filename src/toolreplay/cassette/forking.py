"""Locks of things that a process has one of, where the process may be forked."""

from __future__ import annotations

import os
import threading


def lock_over_forks() -> threading.Lock:
    """A lock that a fork waits for, so that no child is born with it held by a thread that the child does not have.

    It stays for the life of the process: only for what there is one of.
    """
    lock = threading.Lock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock
