"""A backend of scipy.fft: `scipy.fft.set_backend(weft.scipy_backend)`, or with scipy.fft.set_backend(...) as a block.

The functions of scipy.fft then transform distributed arrays, collectively, and arrays of NumPy as before. `workers` are
the threads of a rank. What weft does not have (hfft, fht) is a TypeError of a distributed array.
"""

from __future__ import annotations

from typing import Any

from . import fft
from .arrays import Array

__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(method: Any, args: Any, kwargs: Any) -> Any:
    array = args[0] if args else kwargs.get("x")
    if not isinstance(array, Array):
        return NotImplemented
    ours = fft.of_scipy.get(method.__name__)
    if ours is None:
        raise TypeError(
            f"scipy.fft.{method.__name__} is called with a distributed array; "
            f"weft has {', '.join(sorted(fft.of_scipy))}"
        )
    return ours(array, *_bound(method.__name__, args[1:]), **_named(kwargs))


def _bound(name: str, args: Any) -> Any:
    """Positional arguments behind the array, without `overwrite_x` and `workers` at their end."""
    known = 4 if "ct" in name or "st" in name else 3
    if len(args) > known:
        raise TypeError(f"scipy.fft.{name} is called with {len(args) + 1} arguments; name those behind `norm`")
    return args


def _named(kwargs: Any) -> Any:
    named = {name: value for name, value in kwargs.items() if name not in ("x", "overwrite_x", "plan", "workers")}
    if kwargs.get("plan") is not None:
        raise TypeError("a plan is given to scipy.fft; leave it away: weft keeps its plans with the communicator")
    if kwargs.get("workers") is not None:
        named["threads"] = kwargs["workers"]
    return named
