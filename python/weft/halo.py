"""Halo exchange: arrays with ghost points, which are filled with the values of the ranks that own them.

    halo = weft.Halo(comm, weft.Layout.grid((64, 64, 64), (2, 2, 1)), 1, periodic=True)
    u = halo.zeros()                  # u.local are own points, u.ghosted these with the ghost points around them
    halo(u)                           # ghost points are filled
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np
from mpi4py import MPI

from ._cache import keep_until_exit
from ._library import Layout, Trace, agreed, communicator, core
from .arrays import Array, Box, local_of, type_string

_Widths = Union[int, Sequence[int], None]


class Ghosted(Array):
    """An array with ghost points. `ghosted` is all of it on this rank, and `ghosted_box` which points these are.

    `local` are the own points within, without a copy, and `layout` is that of these: transforms take the array as it
    is. Of a halo of lists both have one axis, and the ghost points lie behind the own points.
    """

    __slots__ = ("ghosted", "ghosted_box")
    ghosted: np.ndarray
    ghosted_box: Box

    def __init__(self, comm: MPI.Comm, layout: Layout, local: np.ndarray, ghosted: np.ndarray, ghosted_box: Box):
        super().__init__(comm, layout, local)
        self.ghosted = ghosted
        self.ghosted_box = ghosted_box


class Halo:
    """A halo exchange, ready to run any number of times. Making one is collective, and so is every call but `test`.

    `layout` says which points each rank owns, and `width` how many ghost points lie around them: one number, or one an
    axis; `behind` at the upper ends, where it is another one. `corners` False leaves points out that are ghosts on
    more than one axis. `periodic`, True or one an axis: the other end lies beyond the shape. Instead of `width` a
    second layout, `ghosts`, may list the ghost points of every rank, in any order.

    An element is of `dtype`, which may be a type with axes, as (numpy.complex64, (3, 3)): arrays have these behind the
    others. `fields` arrays are exchanged at once. `adds` makes `add` possible, too.
    """

    def __init__(
        self,
        comm: MPI.Comm,
        layout: Layout,
        width: _Widths = None,
        *,
        ghosts: Optional[Layout] = None,
        behind: _Widths = None,
        corners: bool = True,
        periodic: Union[bool, Sequence[int], None] = None,
        fields: int = 1,
        adds: bool = False,
        strategy: str = "auto",
        nodes: Sequence[int] = (),
        wisdom: bool = True,
        dtype: Any = np.float64,
    ):
        number = communicator(comm)
        self.comm = comm
        self.dtype = np.dtype(dtype)
        arguments = agreed(
            comm, lambda: self._arguments(layout, width, ghosts, behind, corners, periodic, fields, adds)
        )
        self._core = keep_until_exit(core.Halo(number, *arguments, strategy, list(nodes), bool(wisdom)))
        shape, strides = self._core.memory
        self._shape, self._strides = tuple(shape), tuple(strides)
        self._box = self._core.box
        if ghosts is not None:
            self.layout = layout
            self._own: Tuple[slice, ...] = (slice(self._core.inside),)
        else:
            padding = [p + a + b for p, a, b in zip(layout.padding, arguments[4], arguments[5] or arguments[4])]
            self.layout = layout.ordered(layout.order, padding)
            lo, hi = layout.box(comm.rank)
            self._own = tuple(slice(a - g, max(a, b) - g) for a, b, g in zip(lo, hi, self._box[0]))

    def _arguments(self, layout: Any, width: _Widths, ghosts: Any, behind: _Widths, corners: Any, periodic: Any,
                   fields: Any, adds: Any) -> Tuple[Any, ...]:  # fmt: skip
        for name, given in (("layout", layout), ("ghosts", ghosts)):
            if not isinstance(given, Layout) and (name == "layout" or given is not None):
                raise TypeError(f"the {name} of a halo is {given!r}; give a weft.Layout")
        if (width is None) == (ghosts is None):
            raise TypeError("a halo is given by `width` or by `ghosts`: one of them")
        kind, numbers = self.dtype.subdtype or (self.dtype, ())
        if 0 in numbers:
            raise ValueError(f"elements of a halo are of type {self.dtype}, which holds no number; give one that does")
        axes = len(layout.shape)
        return (
            layout, ghosts, type_string(kind), list(numbers), _each(width, axes), _each(behind, axes), bool(corners),
            [int(p) for p in _each(periodic, axes)], int(fields), bool(adds),
        )  # fmt: skip

    # -- arrays --

    def zeros(self) -> Ghosted:
        """An array with ghost points, all zero."""
        return self._make(np.zeros)

    def empty(self) -> Ghosted:
        """An array with ghost points whose values are not set."""
        return self._make(np.empty)

    def from_local(self, ghosted: Any) -> Ghosted:
        """Collective: an array on memory of the caller's, ghost points included, shaped as `zeros().ghosted`."""
        return agreed(self.comm, lambda: self._from_local(local_of(ghosted)))

    def _from_local(self, ghosted: Any) -> Ghosted:
        kind = (self.dtype.subdtype or (self.dtype,))[0]
        if not isinstance(ghosted, np.ndarray) or ghosted.dtype != kind:
            raise TypeError(f"a halo's array is made of {getattr(ghosted, 'dtype', type(ghosted))}; it needs {kind}")
        same = all(a == b or n <= 1 for a, b, n in zip(ghosted.strides, self._strides, self._shape))
        if ghosted.shape != self._shape or not (same or 0 in self._shape):
            raise ValueError(
                f"the array has shape {ghosted.shape} and strides {ghosted.strides}; "
                f"this halo's arrays have {self._shape} and {self._strides} on this rank"
            )
        return Ghosted(self.comm, self.layout, ghosted[self._own], ghosted, self._box)

    def _make(self, make: Any) -> Ghosted:
        kind = (self.dtype.subdtype or (self.dtype,))[0]
        memory = make(max(self._core.elements, 1), kind)
        return self._from_local(np.ndarray(self._shape, kind, memory, strides=self._strides))

    # -- execution --

    def __call__(self, *arrays: Any) -> None:
        """Collective: fills the ghost points of as many arrays as the halo has fields."""
        self.start(*arrays)
        self.finish()

    def start(self, *arrays: Any) -> None:
        """Collective: begins to fill. Until `finish` own points may be read, nothing written, and no ghost read."""
        self._core.start([_ghosted(array) for array in arrays], False)

    def add(self, *arrays: Any) -> None:
        """Collective: adds the value of every ghost point to the point that it is a copy of: the adjoint of filling.

        The order depends on the layouts alone. Ghost points keep their values. The halo is made with adds=True.
        """
        self.start_add(*arrays)
        self.finish()

    def start_add(self, *arrays: Any) -> None:
        """Collective: begins to add. Until `finish` ghost points may be read, no own point, and nothing written."""
        self._core.start([_ghosted(array) for array in arrays], True)

    def test(self) -> bool:
        """Lets what was started progress; True when all that comes has come."""
        return self._core.test()

    def finish(self) -> None:
        """Collective: ends what was started."""
        self._core.finish()

    # -- what it is --

    @property
    def strategy(self) -> str:
        """The strategy that fills."""
        return self._core.strategy

    def describe(self) -> str:
        """Strategies, bytes and messages, memory."""
        return self._core.describe()

    def record(self, trace: Trace) -> None:
        """Records every execution from now on."""
        self._core.record(trace)

    def destroy(self) -> None:
        """Ends the halo; an error between `start` and `finish`. Arrays stay valid."""
        self._core.destroy()

    def __enter__(self) -> "Halo":
        return self

    def __exit__(self, *_: Any) -> None:
        self.destroy()


def _each(given: Any, axes: int) -> list:
    if given is None:
        return []
    return [int(given)] * axes if isinstance(given, (int, bool)) else [int(number) for number in given]


def _ghosted(array: Any) -> Any:
    return array.ghosted if isinstance(array, Ghosted) else local_of(array)
