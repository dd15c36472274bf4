"""Finds the compiled part that belongs to the MPI of mpi4py: there is one for each MPI that weft was built with."""

import importlib
import os
import pathlib
import sys

_words = {"openmpi": "Open MPI", "mpich": "MPICH"}
_there = sorted(
    {path.name.split(".")[0].lstrip("_") for path in pathlib.Path(__file__).parent.glob("_*.so")} & _words.keys()
)

# mpi4py may be able to use several MPIs. If it has not chosen yet, and weft has one only, it is that one.
if "mpi4py.MPI" not in sys.modules and len(_there) == 1 and "MPI4PY_LIBMPI" not in os.environ:
    os.environ.setdefault("MPI4PY_MPIABI", _there[0])

from mpi4py import MPI  # noqa: E402


def _kind():
    """The MPI of mpi4py, by the name that weft's compiled parts have."""
    return "openmpi" if MPI.get_vendor()[0] == "Open MPI" else "mpich"


_wanted = _kind()
if _wanted not in _there:
    raise ImportError(
        f"mpi4py uses {MPI.Get_library_version().splitlines()[0].split(',')[0].strip()}, and weft was built with "
        f"{' and '.join(_words[name] for name in _there) or 'no MPI'}; install weft for that MPI, "
        f"or let mpi4py use another one "
        f"(MPI4PY_MPIABI={' or '.join(_there)})"
    )
_core = importlib.import_module(f"._{_wanted}", __package__)
if _core.library_version().strip("\0") != MPI.Get_library_version().strip("\0"):
    raise ImportError(
        f"mpi4py and weft use two MPI libraries: {MPI.Get_library_version().splitlines()[0]!r} and "
        f"{_core.library_version().splitlines()[0]!r}; install both for the same one"
    )

Declined = _core.Declined
Error = _core.Error
Layout = _core.Layout
Problem = _core.Problem
Candidate = _core.Candidate
Tuning = _core.Tuning
export_wisdom = _core.export_wisdom
forget_wisdom = _core.forget_wisdom
import_wisdom = _core.import_wisdom
library_version = _core.library_version
wisdom_files = _core.wisdom_files
core = _core


def communicator(comm):
    """Fortran's number of a communicator."""
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"the communicator is {comm!r}; give one of mpi4py, such as MPI.COMM_WORLD")
    if MPI.Is_finalized():
        raise Error("MPI has been finalised; weft is of no use after that")
    return comm.py2f()


class Trace(_core.Trace):
    """What the ranks of a communicator did when. `Trace(comm)` is collective, and so is `trace.write(path)`."""

    def __init__(self, comm):
        super().__init__(communicator(comm))
