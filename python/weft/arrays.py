"""Distributed arrays: this rank's part of a global array, and which part it is."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np
from mpi4py import MPI

from ._cache import redistribution
from ._library import Error, Layout, agreed, communicator

Box = Tuple[Tuple[int, ...], Tuple[int, ...]]


class Array:
    """This rank's part of a global array. `local` is a numpy.ndarray on memory that is not copied.

    `shape` and `dtype` are of the global array, `layout` tells what every rank has, and `box` is this rank's (lo, hi).
    numpy.asarray(u) and all that takes arrays by `__array_interface__` or DLPack have that memory, too. Of a layout of
    lists `local` has one axis, and `box` counts its elements.
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
    def local_slice(self) -> Tuple[Any, ...]:
        """What to cut out of a global numpy.ndarray to have this rank's part."""
        if self._is_list():
            return self.mesh()
        return tuple(slice(lo, max(lo, hi)) for lo, hi in zip(*self.box))

    def mesh(self) -> Tuple[np.ndarray, ...]:
        """Global indices along every axis, shaped so that they broadcast against `local`."""
        if self._is_list():
            communicator(self.comm)
            runs = [np.arange(first, first + count) for first, count in self.layout.runs_of(self.comm.rank)]
            return np.unravel_index(np.concatenate([np.arange(0), *runs]), self.shape)
        lo, hi = self.box
        axes = range(len(lo))
        return tuple(np.arange(lo[a], hi[a]).reshape([-1 if b == a else 1 for b in axes]) for a in axes)

    def _is_list(self) -> bool:
        return not self.layout.has_boxes

    def redistribute(
        self, to: Union[Layout, "Array"], strategy: str = "auto", periodic: Sequence[int] = ()
    ) -> "Array":
        """Collective: the same global array in another layout, in a new array or in the one given.

        `periodic`: 1 for axes on which `to` may reach beyond the shape, and has the other end there.
        """
        if isinstance(to, Layout):
            to = empty(self.comm, to, self.dtype)
        if to.dtype != self.dtype:
            raise TypeError(
                f"an array of {self.dtype} is redistributed to one of {to.dtype}; give one of the same type"
            )
        kept = redistribution(self.comm, self.layout, to.layout, type_string(self.dtype), strategy, tuple(periodic))
        kept.execute(self.local, to.local)
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

    @property
    def __array_interface__(self) -> dict:
        return self.local.__array_interface__

    def __dlpack__(self, **options: Any) -> Any:
        return self.local.__dlpack__(**options)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return self.local.__dlpack_device__()

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from . import fft

        ours = fft.of_numpy.get(function.__name__) if function.__module__ == "numpy.fft" else None
        if ours is None:
            return NotImplemented
        return ours(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<weft.Array of {self.dtype}: {self.layout.describe()}; here {self.box[0]} to {self.box[1]}>"


def _box(layout: Layout, comm: MPI.Comm) -> Box:
    communicator(comm)
    if layout.ranks != comm.size:
        raise Error(
            f"the layout is for {layout.ranks} ranks, and the communicator has {comm.size}; give one for as many"
        )
    if layout.has_boxes:
        return layout.box(comm.rank)
    return (0,), (layout.memory(comm.rank)[1],)  # a list of elements


def _layout(comm: MPI.Comm, layout: Union[Layout, Sequence[int]]) -> Layout:
    communicator(comm)
    return layout if isinstance(layout, Layout) else Layout.slab(tuple(layout), 0, comm.size)


_types = "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()


def type_string(dtype: Any) -> str:
    """NumPy's type string without byte order, of elements that an array can have."""
    kind = np.dtype(dtype)
    text = f"{kind.kind}{kind.itemsize}"
    if text not in _types or not kind.isnative:
        raise TypeError(
            f"elements of type {kind} are asked for; allowed: bool, integers, float16 to float64, complex64, complex128"
        )
    return text


def _type(dtype: Any) -> np.dtype:
    type_string(dtype)
    return np.dtype(dtype)


def local_of(array: Any) -> Any:
    """This rank's part as a numpy.ndarray on the same memory, of whatever shows its memory."""
    if isinstance(array, Array):
        return array.local
    if not isinstance(array, np.ndarray):
        if hasattr(array, "__array_interface__"):
            return np.asarray(array)
        if hasattr(array, "__dlpack__"):
            return np.from_dlpack(array)
    return array


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


def from_local(comm: MPI.Comm, layout: Layout, local: Any) -> Array:
    """Collective: an array on memory of the caller's, this rank's part, with the shape and strides of the layout.

    `local` is a numpy.ndarray, or shows its memory by `__array_interface__` or DLPack.
    """
    return agreed(comm, lambda: _from_local(comm, layout, local_of(local)))


def _from_local(comm: MPI.Comm, layout: Layout, local: Any) -> Array:
    if not isinstance(local, np.ndarray):
        raise TypeError(
            f"an array is made of {type(local).__name__}; "
            "give a numpy.ndarray, or what shows its memory by __array_interface__ or DLPack"
        )
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
