#!/usr/bin/env python3
"""Benchmarks of all kinds of problems, and of plane waves."""
import itertools
import os

from support import BenchTest, main, weft


class Problems(BenchTest):
    def test_problems(self):
        one = ["--strategy", "auto", "--shape", "6x10x5"]
        for words in (["--kind", "dct2"], ["--kind", "dct1,dst3,dst4"], ["--kind", "c2c,dst2,r2c"],
                      ["--kind", "dht,c2c,r2hc"], ["--kind", "r2c", "--in-place"], ["--precision",
                                                                                    "float"], ["--axes", "0,1"],
                      ["--batch", "3", "--kind", "r2c"], ["--components", "2", "--natural"], ["--overwrite"], [
                          "--tiles", "gathered", "--tile", "2", "--window", "2", "--test", "1", "--backward-tiles",
                          "kept", "--backward-tile", "3"
                      ], ["--tiles", "kept"], ["--threads", "2"], ["--engine", "naive", "--effort", "estimate"]):
            with self.subTest(words=words):
                self.bench(*one, *words)
        for shape in "1x64x64", "64x1x1":
            self.bench("--strategy", "auto", "--shape", shape)

    def test_plane_waves(self):
        for words in (["--sphere", "3", "--batch", "2", "--tiles",
                       "kept"], ["--sphere", "3", "--kind", "r2c"], ["--boxcut"], [
                           "--sphere", "3", "--metric", "1,1.2,0.8,0.1,0,0.05", "--kpoint", "0.5,0.25,0", "--tiles",
                           "gathered", "--backward-tile", "7"
                       ], ["--kept", "5x5x6", "--kind", "r2c"], ["--kept", "3x5x4", "--kept-from", "2x0x-3"]):
            some = [] if words == ["--boxcut"] else ["--strategy", "isend,alltoallv,datatype,direct,node"]
            _, rows = self.bench("--shape", "8x9x10", "--effort", "estimate", *some, *words)
            self.assertTrue(all(row["relative_error"] <= row["tolerance"] for row in rows if "declined" not in row),
                            rows)
            self.assertGreater(len([row for row in rows if "declined" not in row]), 3)
        sphere = ["--sphere", "2.9", "--metric", "1,1.2,0.8,0.1,0,0.3", "--kpoint", "0.5,0.25,0"]
        inside = 0
        for a, b, c in itertools.product(range(-4, 5), repeat=3):
            x, y, z = a + 0.5, b + 0.25, c
            inside += x * x + 1.2 * y * y + 0.8 * z * z + 2 * (0.1 * x * y + 0.3 * y * z) <= 2.9**2
        self.assertIn(f" {inside} coefficients on ",
                      self.fine(weft("plan", "--shape", "8x9x10", *sphere, ranks=2)).out)
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "waves")
        for name in ("cnt40", "si64", "cnt80"):
            with open(os.path.join(folder, name)) as file:
                words = " ".join(line.split("#")[0] for line in file).split()
            text = self.fine(weft("plan", *words, "--effort", "estimate", ranks=2)).out
            if name == "cnt40":
                self.assertIn("12293 coefficients on 657 sticks", text)
        self.fails(weft("bench", "--shape", "8x9", "--sphere", "2"), 2, "three extents")
        self.fails(weft("bench", "--shape", "8x8x8", "--sphere", "4"), 2, "smallest that holds it is 9x9x9")
        self.fails(weft("bench", "--shape", "8x8x8", "--sphere", "2", "--axes", "0"), 2, "all three axes")
        self.fails(weft("bench", "--shape", "8x8x8", "--sphere", "2", "--kpoint", "0.5,half,0"), 2,
                   "'half' is no number")
        self.fails(weft("bench", "--shape", "8x8x8", "--sphere", "2", "--metric", "1,1"), 2, "allowed are 3 or 6")
        self.fails(weft("bench", "--shape", "8x8x8", "--kept", "6x5x5", "--kind", "r2c"), 2, "odd extents")
        self.fails(weft("bench", "--shape", "8x8x8", "--kept", "9x5x5"), 2, "from 1 to the grid's")


if __name__ == "__main__":
    main()
