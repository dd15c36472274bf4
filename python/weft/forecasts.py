"""Forecasts: how long a plan will take on ranks that need not be there; and fits over numbers of ranks."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from mpi4py import MPI

from ._library import Forecast, Problem, Profile, agreed, communicator, core
from .plans import _checked


def measure_profile(comm: MPI.Comm, nodes: Sequence[int] = (), seconds: float = 60) -> Profile:
    """Collective: the machine as all ranks see it when all are at work, with its rates by size. Cubes by every strategy
    take `seconds`, more or less, and the rest a few."""
    return core.measure_profile(communicator(comm), agreed(comm, lambda: [int(n) for n in nodes]), float(seconds))


def profile(text: str) -> Profile:
    """A machine that is written as JSON: str(profile) is such a text. What it leaves out is a first guess."""
    return core.profile_of(text)


def forecast(problem: Problem, nodes: Sequence[int], profile: Profile, **options: Any) -> List[Forecast]:
    """Local: what the model says of each strategy on len(nodes) ranks, each on the node that its number names.

    The fastest first; with the option `strategy` that one alone. Engine, effort and wisdom count for nothing.
    """
    _checked(problem, options)
    if not isinstance(profile, Profile):
        raise TypeError(f"the profile is {profile!r}; weft.measure_profile and weft.profile make one")
    return core.forecast(problem, options, [int(n) for n in nodes], profile)


def fit_forms() -> Dict[str, str]:
    """Name, and formula with one line, of each form that measurements are fitted to."""
    return dict(core.fit_forms())
