#!/usr/bin/env python3
"""Programs beside weft, and launchers."""
import os
import shutil

from support import MPIEXEC, Test, main, weft


class Programs(Test):
    def setUp(self):
        super().setUp()
        with open(self.path("weft-hello"), "w") as file:
            file.write('#!/bin/sh\necho "hello $*"\nexit 7\n')
        os.chmod(self.path("weft-hello"), 0o755)
        self.search = {"PATH": self.folder.name + ":" + os.environ["PATH"]}

    def test_started_with_its_words(self):
        result = weft("hello", "--ranks", "a b", environment=self.search)
        self.assertEqual((result.code, result.out), (7, "hello --ranks a b\n"), result)

    def test_started_on_every_rank(self):
        patient = {**self.search, "OMPI_MCA_odls_base_sigkill_timeout": "1"
                   }  # as users have it: these ranks fail one by one
        self.assertEqual(weft("hello", "x", ranks=2, environment=patient).out.count("hello x\n"), 2)

    def test_unknown(self):
        self.fails(weft("nothing", environment=self.search), 2, "'nothing'",
                   "list, plan, bench, tune, wisdom, exchange, model, transform, types", "hello")
        self.fails(weft("nothing", ranks=2), 2, "'nothing'")
        self.fails(weft("../weft-hello", environment=self.search), 2, "neither")

    def test_launchers(self):
        self.fails(weft("list", ranks=2, environment={"WEFT_MPIEXEC": "no-such-mpirun -x"}), 2, "WEFT_MPIEXEC")
        self.fails(weft("list", ranks=2, environment={"WEFT_MPIEXEC": ""}), 2, "WEFT_MPIEXEC")
        self.fails(weft("--ranks", "0", "list"), 2, "--ranks")
        self.fails(weft("--ranks", "two", "list"), 2, "--ranks")
        self.fine(weft("plan", "--shape", "4x4x4", ranks=2, environment={"WEFT_MPIEXEC": MPIEXEC}))
        if "Open MPI" in weft("--version").out and shutil.which("mpirun.mpich"):
            self.fails(weft("plan", "--shape", "4x4x4", ranks=2, environment={"WEFT_MPIEXEC": "mpirun.mpich"}), 2,
                       "not the one of Open MPI")


if __name__ == "__main__":
    main()
