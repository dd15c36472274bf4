"""Distributed arrays: this rank's part of a global array, and which part it is."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np
from mpi4py import MPI

from ._cache import redistribution
from ._library import Error, Layout

Box = Tuple[Tuple[int, ...], Tuple[int, ...]]


class Array:
    """This rank's part of a global array. `local` is a numpy.ndarray on memory that is not copied.

    `shape` and `dtype` are of the global array, `layout` tells what every rank has, and `box` is this rank's (lo, hi).
    numpy.asarray(u) is u.local.
    """

    __slots__ = ("comm", "layout", "local", "box", "made_of")
    comm: MPI.Comm
    layout: Layout
    local: np.ndarray
    box: Box
    made_of: Any

    def __init__(
        self, comm: MPI.Comm, layout: Layout, local: np.ndarray, box: Optional[Box] = None, made_of: Any = None
    ):
        self.comm = comm
        self.layout = layout
        self.local = local
        self.box = box if box is not None else _box(layout, comm)
        self.made_of = made_of  # the layout and the type of what this is the transform of

    @property
    def shape(self) -> Tuple[int, ...]:
        """Extents of the global array."""
        return self.layout.shape

    @property
    def ndim(self) -> int:
        return len(self.layout.shape)

    @property
    def dtype(self) -> np.dtype:
        return self.local.dtype

    @property
    def local_slice(self) -> Tuple[slice, ...]:
        """What to cut out of a global numpy.ndarray to have this rank's part."""
        return tuple(slice(lo, hi) for lo, hi in zip(*self.box))

    def mesh(self) -> Tuple[np.ndarray, ...]:
        """Global indices along every axis, shaped so that they broadcast against `local`."""
        lo, hi = self.box
        axes = range(len(lo))
        return tuple(np.arange(lo[a], hi[a]).reshape([-1 if b == a else 1 for b in axes]) for a in axes)

    def redistribute(self, to: Union[Layout, "Array"], strategy: str = "auto") -> "Array":
        """Collective: the same global array in another layout, in a new array or in the one given."""
        if isinstance(to, Layout):
            to = empty(self.comm, to, self.dtype)
        if to.dtype != self.dtype:
            raise TypeError(
                f"an array of {self.dtype} is redistributed to one of {to.dtype}; give one of the same type"
            )
        redistribution(self.comm, self.layout, to.layout, self.dtype.char, strategy).execute(self.local, to.local)
        return to

    def gather(self) -> np.ndarray:
        """Collective: the whole array on every rank."""
        whole = empty(self.comm, Layout.replicated(self.shape, self.comm.size), self.dtype)
        return self.redistribute(whole).local

    def copy(self) -> "Array":
        """Another array of the same layout and values."""
        other = empty(self.comm, self.layout, self.dtype)
        other.local[...] = self.local
        other.made_of = self.made_of
        return other

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        if dtype is None or dtype == self.local.dtype:
            return self.local.copy() if copy else self.local
        if copy is False:
            raise ValueError(f"an array of {self.dtype} cannot be one of {dtype} without a copy")
        return self.local.astype(dtype)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from . import fft

        ours = {np.fft.fftn: fft.fftn, np.fft.ifftn: fft.ifftn, np.fft.rfftn: fft.rfftn, np.fft.irfftn: fft.irfftn}
        if function not in ours:
            return NotImplemented
        return ours[function](*args, **kwargs)

    def __repr__(self) -> str:
        return f"<weft.Array of {self.dtype}: {self.layout.describe()}; here {self.box[0]} to {self.box[1]}>"


def _box(layout: Layout, comm: MPI.Comm) -> Box:
    if layout.ranks != comm.size:
        raise Error(
            f"the layout is for {layout.ranks} ranks, and the communicator has {comm.size}; give one for as many"
        )
    if layout.has_boxes:
        return layout.box(comm.rank)
    return (0,), (layout.memory(comm.rank)[1],)  # a list of elements


def _layout(comm: MPI.Comm, layout: Union[Layout, Sequence[int]]) -> Layout:
    return layout if isinstance(layout, Layout) else Layout.slab(tuple(layout), 0, comm.size)


def _type(dtype: Any) -> np.dtype:
    kind = np.dtype(dtype)
    if kind.char not in "fdFD" or not kind.isnative:
        raise TypeError(f"elements of type {kind} are asked for; allowed: float32, float64, complex64, complex128")
    return kind


def empty(comm: MPI.Comm, layout: Union[Layout, Sequence[int]], dtype: Any = np.float64) -> Array:
    """A distributed array whose values are not set. A shape instead of a layout: slabs along axis 0."""
    return _make(comm, layout, dtype, np.empty)


def zeros(comm: MPI.Comm, layout: Union[Layout, Sequence[int]], dtype: Any = np.float64) -> Array:
    """A distributed array of zeros."""
    return _make(comm, layout, dtype, np.zeros)


def _make(comm: MPI.Comm, layout: Union[Layout, Sequence[int]], dtype: Any, make: Any) -> Array:
    layout, kind = _layout(comm, layout), _type(dtype)
    box = _box(layout, comm)
    strides, elements = layout.memory(comm.rank)
    extents = [max(hi - lo, 0) for lo, hi in zip(*box)]
    memory = make(max(elements, 1), kind)
    local = np.ndarray(extents, kind, memory, strides=[s * kind.itemsize for s in strides])
    return Array(comm, layout, local, box)


def from_local(comm: MPI.Comm, layout: Layout, local: np.ndarray) -> Array:
    """An array on memory of the caller's: this rank's part, with the shape and the strides that the layout has."""
    box, kind = _box(layout, comm), _type(local.dtype)
    strides, elements = layout.memory(comm.rank)
    extents = tuple(max(hi - lo, 0) for lo, hi in zip(*box))
    bytes_of = tuple(s * kind.itemsize for s in strides)
    same = all(a == b or n <= 1 for a, b, n in zip(local.strides, bytes_of, extents))
    if local.shape != extents or (math.prod(extents) > 0 and not same):
        raise ValueError(
            f"the array has shape {local.shape} and strides {local.strides}; this rank's part of the layout has "
            f"{extents} and {bytes_of}"
        )
    return Array(comm, layout, local, box)
