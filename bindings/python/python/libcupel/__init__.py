"""Scores the context items of a language-model application, a whole batch per call."""

from libcupel._native import Batch, Clock, Error, Item, Scorer, Scores, from_messages

__all__ = ["Batch", "Clock", "Error", "Item", "Scorer", "Scores", "from_messages"]
