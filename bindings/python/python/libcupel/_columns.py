"""Which columns an engine takes along."""

from __future__ import annotations

from collections.abc import Container, Sequence

__all__ = ["needed"]


def needed(group: str, keep: Sequence[str], read: Sequence[str], known: Container[str]) -> list[str]:
    """The group, the columns to keep and those of `read` that are known, each once."""
    return list(dict.fromkeys([group, *keep, *(column for column in read if column in known)]))
