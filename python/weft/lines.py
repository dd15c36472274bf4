"""Long lines: one transform along one axis that is cut over all ranks."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np
from mpi4py import MPI

from ._cache import keep_until_exit
from ._library import Layout, agreed, communicator, core
from .arrays import Array, empty, local_of
from .plans import _precision


def _checked(n: Any, rows: Optional[int], dtype: Any, options: Dict[str, Any]) -> Tuple[str, int, int]:
    if np.dtype(dtype).kind != "c":
        raise TypeError(f"a long line of {np.dtype(dtype)} is asked for; allowed: complex64, complex128")
    core.check_options(options)
    return _precision(dtype), int(n), int(rows or 0)


class LongLine:
    """One complex line of n points, cut over the ranks. Collective: `LongLine(comm, n, natural_output=True)`.

    Options are those of a plan but `input`, `output`, `grid`, `batch`, `components` and `placement`. Without
    `natural_output` the modes come in another order, which saves an exchange: `modes()` tells it. The line is cut into
    `rows` rows, a divisor of n (None: the largest that is not above its square root).
    """

    def __init__(
        self, comm: MPI.Comm, n: int, *, dtype: Any = np.complex128, rows: Optional[int] = None, **options: Any
    ):
        number = communicator(comm)
        precision, points, cut = agreed(comm, lambda: _checked(n, rows, dtype, options))
        self.comm = comm
        self._core = keep_until_exit(core.LongLine(number, precision, points, cut, options))
        self.dtype = np.dtype(self._core.type)
        self.input_layout: Layout = self._core.input_layout
        self.output_layout: Layout = self._core.output_layout

    def make_input(self) -> Array:
        """A line before the transform: `local` is this rank's part, `mesh()` the global indices. Not set."""
        return empty(self.comm, self.input_layout, self.dtype)

    def make_output(self) -> Array:
        """A line after it; of scrambled lines `mesh()` has places, and `modes()` the modes that are there."""
        return empty(self.comm, self.output_layout, self.dtype)

    def forward(self, u: Any, out: Any = None) -> Any:
        """Collective. From this rank's part to this rank's part of the modes, which is returned (None: a new one).

        `out` may be `u` itself if it has room for either part. Unnormalised.
        """
        return self._execute(u, out, True)

    def backward(self, u_hat: Any, out: Any = None) -> Any:
        """Collective. The way back, unnormalised: `scale` times backward(forward(u)) is u."""
        return self._execute(u_hat, out, False)

    def _execute(self, u: Any, out: Any, forward: bool) -> Any:
        if out is None:
            out = self.make_output() if forward else self.make_input()
        from_array, to_array = local_of(u), local_of(out)
        self._core.execute(from_array, from_array if to_array is from_array else to_array, forward)
        return out

    def modes(self) -> np.ndarray:
        """The modes, 0 to n - 1, of this rank's part of the output, in its order."""
        return np.asarray(self._core.modes(), np.int64)

    @property
    def scale(self) -> float:
        """What backward(forward(u)) is to be multiplied by to give u."""
        return self._core.scale

    @property
    def rows(self) -> int:
        """n is `rows` times `columns`."""
        return self._core.rows

    @property
    def columns(self) -> int:
        return self._core.columns

    def describe(self) -> str:
        """Its two parts, as plans describe themselves."""
        return self._core.describe()

    def destroy(self) -> None:
        """Ends the line."""
        self._core.destroy()

    def __enter__(self) -> "LongLine":
        return self

    def __exit__(self, *_: Any) -> None:
        self.destroy()
