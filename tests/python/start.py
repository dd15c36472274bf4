"""What happens on import: one MPI alone is loaded, and what cannot be used is said in words."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import weft
from case import comm
from mpi4py import MPI

_here = pathlib.Path(weft.__file__).parent
_kind = weft._library.core.__name__.rpartition("_")[2]


class Start(unittest.TestCase):
    @unittest.skipUnless(pathlib.Path("/proc/self/maps").exists(), "nothing says what is loaded")
    def test_one_mpi(self):
        maps = pathlib.Path("/proc/self/maps").read_text()
        self.assertEqual(len(set(re.findall(r"\S*/libmpi[^/]*\.so\S*", maps))), 1)
        self.assertEqual(weft.library_version().strip("\0"), MPI.Get_library_version().strip("\0"))

    @unittest.skipIf(comm.size > 1, "one process is enough")
    def test_without_a_part(self):
        other = "mpich" if _kind == "openmpi" else "openmpi"
        words = {"mpich": "MPICH", "openmpi": "Open MPI"}
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder, "weft")
            package.mkdir()
            for source in _here.glob("*.py"):
                shutil.copy(source, package)
            self.assertIn("weft was built with no MPI", self.started(folder, "import weft"))
            (package / f"_{other}.so").touch()
            said = self.started(folder, "import weft", MPI4PY_MPIABI=_kind)
            self.assertIn(f"weft was built with {words[other]};", said)
            self.assertIn(f"MPI4PY_MPIABI={other}", said)
            (package / f"_{_kind}.so").touch()  # two parts: mpi4py chooses, and this one is empty
            self.assertIn(f"_{_kind}", self.started(folder, "import weft", MPI4PY_MPIABI=_kind))

    @unittest.skipIf(comm.size > 1, "one process is enough")
    def test_mpi_not_initialised(self):
        program = "import weft; from mpi4py import MPI; weft.Plan(MPI.COMM_WORLD, weft.c2c((4, 4)))"
        self.assertIn("MPI is not initialised", self.started(str(_here.parent), program))

    def started(self, folder, program, **environment):
        """What a program that fails says last. It does not initialise MPI, which a second process may not do here."""
        program = "import mpi4py; mpi4py.rc.initialize = False; " + program
        environment = {**os.environ, "PYTHONPATH": folder, "MPI4PY_MPIABI": _kind, **environment}
        run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        self.assertNotEqual(run.returncode, 0)
        return run.stderr.strip().splitlines()[-1]
