#!/usr/bin/env python3
"""What the program refuses, and files that it cannot read or write."""
import os
import resource

from support import MPIEXEC, MPIRUN, Result, Test, WEFT, main, weft, write_npy
from wrong import command_lines


class Mistakes(Test):
    def test_command_lines(self):
        write_npy(self.path("c.npy"), (4, 3, 5), "c16")
        write_npy(self.path("f.npy"), (4, 3, 5), "f8")
        c, f, out = self.path("c.npy"), self.path("f.npy"), self.path("out.npy")
        for text, *words in command_lines(c, f, out):
            with self.subTest(words=words):
                self.refused(text, *words)

    def refused(self, text, *words, ranks=0):
        self.assertIn(text, self.fails(weft(*words, ranks=ranks), 2, "weft: ").err)

    def test_command_lines_on_ranks(self):
        self.refused("--nope", "bench", "--nope", ranks=2)
        self.refused("0x4x4", "bench", "--shape", "0x4x4", ranks=2)
        self.refused("isend", "plan", "--strategy", "nope", ranks=3)
        self.refused("3x5", "bench", "--layout", "3x5", ranks=2)

    def test_files(self):
        write_npy(self.path("integers.npy"), (4, 3), "i2")
        write_npy(self.path("scalar.npy"), (), "f8")
        write_npy(self.path("scalar_spectrum.npy"), (), "c16")
        write_npy(self.path("nine.npy"), (1, ) * 9, "f8")
        write_npy(self.path("short.npy"), (4, 3), "f8")
        os.truncate(self.path("short.npy"), 200)
        with open(self.path("corrupt.npy"), "w") as file:
            file.write("this is no array")
        write_npy(self.path("fine.npy"), (4, 3), "f8")
        for name, text, ranks in (("missing.npy", "", 2), ("integers.npy", "astype", 0), ("short.npy", "", 0),
                                  ("corrupt.npy", "", 0), ("scalar.npy", "a single number without axes", 2),
                                  ("nine.npy", "more than 8 axes", 0), ("scalar_spectrum.npy",
                                                                        "a single number without axes", 0)):
            for words in (["transform", self.path(name),
                           self.path("out.npy"), "--forward"], ["bench", "--input",
                                                                self.path(name)],
                          ["transform",
                           self.path(name),
                           self.path("out.npy"), "--backward", "--real-last", "1"]):
                with self.subTest(words=words):
                    result = self.fails(weft(*words, ranks=ranks), 1, "weft: ")
                    self.assertIn(name, result.err)
                    self.assertIn(text, result.err)
        self.fails(weft("transform", self.path("fine.npy"), self.path("no/such/out.npy"), "--forward", ranks=2), 1,
                   "weft: ")
        self.fails(weft("bench", "--shape", "4x4x4", "--json", self.path("no/rows.json"), ranks=2), 1, "weft: ")
        self.assertFalse(os.path.exists(self.path("out.npy")))

    def test_full_disk(self):
        write_npy(self.path("u.npy"), (256, 128, 128), "f8")
        full = {
            "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (24 << 20, 24 << 20)),
            "restore_signals": False
        }
        self.fails(
            weft("transform", self.path("u.npy"), self.path("out.npy"), "--lowpass", "1", "--strategy", "alltoallv",
                 ranks=2, **full), 1, "weft: ")
        self.assertEqual(os.listdir(self.folder.name), ["u.npy"])

    def test_ranks_that_differ(self):
        environment = {**MPIRUN, "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
        for words in ["bench", "--shape", "8x8x9"], ["bench", "--shape", "8x8x8", "--strategy",
                                                     "isend"], ["bench",
                                                                "--nope"], ["transform", "a", "b", "--forward"]:
            result = Result([MPIEXEC, "-n", "1", WEFT, "bench", "--shape", "8x8x8", ":", "-n", "1", WEFT] + words,
                            environment=environment)
            self.assertNotEqual(result.code, 0, result)
            self.assertLess(result.seconds, 20, result)
        self.fails(Result([MPIEXEC, "-n", "2", WEFT, "--ranks", "2", "list"], environment=environment), 2,
                   "drop --ranks")


if __name__ == "__main__":
    main()
