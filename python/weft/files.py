"""Files of distributed arrays: every rank reads and writes its own part, and nothing is gathered on one rank.

A name that ends in .npy is a file of NumPy's, which has its shape and type; any other is raw, in C order.
"""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np
from mpi4py import MPI

from ._library import Layout, agreed, communicator, core
from .arrays import Array, empty, type_string

Path = Union[str, "os.PathLike[str]"]


def inspect(comm: MPI.Comm, path: Path) -> Tuple[Tuple[int, ...], np.dtype]:
    """Collective: shape and type of an npy file."""
    number = communicator(comm)
    shape, kind = core.file_type(number, agreed(comm, lambda: os.fspath(path)))
    return shape, np.dtype(kind)


def write(path: Path, u: Array, dtype: Any = None) -> None:
    """Collective: writes the whole array. `dtype` is that of the file: the array's (None), or the same in the other
    precision. A failure leaves what was there under that name."""
    if not isinstance(u, Array):
        raise TypeError(f"a weft.Array is written, and {type(u).__name__} is given")
    number = communicator(u.comm)

    def check() -> Tuple[str, str]:
        kind = type_string(u.dtype)
        core.check_part(number, u.layout, kind, u.local, False)
        return os.fspath(path), kind if dtype is None else type_string(dtype)

    name, kind = agreed(u.comm, check)
    core.write_file(number, name, u.layout, kind, type_string(u.dtype), u.local)


def read(
    comm: MPI.Comm,
    path: Path,
    layout: Union[Layout, Sequence[int], None] = None,
    dtype: Any = None,
    *,
    file_dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """Collective: reads the file into `out`, or into a new array of that layout: slabs along axis 0 (None, or a shape).

    `dtype` is that of the array: the file's (None), or the same in the other precision. Of a raw file the layout or the
    shape is to be given, and `file_dtype` or `dtype`.
    """
    number = communicator(comm)
    name = agreed(comm, lambda: _name(path, layout, dtype, file_dtype, out))
    if name.endswith(".npy") and (file_dtype is None or (layout is None and out is None)):
        shape, found = inspect(comm, name)
        file_dtype = found if file_dtype is None else file_dtype
        layout = shape if layout is None else layout

    def check() -> Tuple[Array, str, str]:
        known = [given for given in (file_dtype, dtype, None if out is None else out.dtype) if given is not None]
        of_file = type_string(known[0])
        array = out if out is not None else empty(comm, layout, of_file if dtype is None else dtype)
        kind = type_string(array.dtype)
        if dtype is not None and kind != type_string(dtype):
            raise TypeError(f"an array of {np.dtype(dtype)} is asked for, and out has {array.dtype}; leave dtype away")
        core.check_part(number, array.layout, kind, array.local, True)
        return array, of_file, kind

    array, of_file, kind = agreed(comm, check)
    core.read_file(number, name, array.layout, of_file, kind, array.local)
    return array


def _name(path: Path, layout: Any, dtype: Any, file_dtype: Any, out: Any) -> str:
    name = os.fspath(path)
    if out is not None and not isinstance(out, Array):
        raise TypeError(f"out is of type {type(out).__name__}; give a weft.Array, or None")
    if out is not None and layout is not None:
        raise TypeError("a file is read into `out`, which has a layout, and `layout` is given, too: one of them")
    if not name.endswith(".npy") and (
        (out is None and layout is None) or (out is None and dtype is None and file_dtype is None)
    ):
        raise TypeError(f"{name} is no .npy, and does not tell its shape and type: give `layout` and `dtype`, or `out`")
    return name
