#!/usr/bin/env python3
"""Exchanges alone, and the datatypes that they give to MPI."""
import json
import os
import unittest

from support import Test, main, weft


class Exchange(Test):
    def test_exchange(self):
        path = self.path("rows.json")
        out = self.fine(
            weft("exchange", "--bytes", "64:320", "--strategy", "padded,bruck,direct", "--repeat", "2", "--json",
                 path, ranks=3)).out
        with open(path) as file:
            rows = json.load(file)
        self.assertEqual(sorted({row["message_bytes"] for row in rows}), [64, 128, 256])
        for row in rows:
            self.assertIn(f"{1e6 * row['median_seconds']:.1f}", out)
            sent = {"padded": (1, 2, 2), "bruck": (2, 2, 2), "direct": (0, 0, 2)}[row["strategy"]]
            self.assertEqual((row["calls"], row["messages"], row["bytes_sent"] // row["message_bytes"]), sent)
        self.fine(
            weft("exchange", "--transpose", "7x5,64x3", "--strategy", "padded,alltoallv", "--repeat", "2", "--json",
                 path, ranks=3))
        with open(path) as file:
            rows = json.load(file)
        # of 7x5 on 3 ranks the first has 3 rows and sends columns 2 and 3 to the second, the last column to the third
        self.assertEqual([(row["size"], row["strategy"], row["message_bytes"] // 16, row["bytes_sent"] // 16)
                          for row in rows], [("7x5", "padded", 6, 12), ("7x5", "alltoallv", 6, 9),
                                             ("64x3", "padded", 22, 44), ("64x3", "alltoallv", 22, 44)])
        self.fails(weft("exchange", "--transpose", "7x0", ranks=2), 2, "rows x columns")
        self.fails(weft("exchange", "--transpose", "7x", ranks=2), 2, "''")
        self.fails(weft("exchange", "--bytes", "12", ranks=2), 2, "multiple of 8")
        self.fails(weft("exchange", "--bytes", "512:256", ranks=2), 2, "the least and the most")
        self.fails(weft("exchange", "--strategy", "alltoal", ranks=2), 2, "there is no strategy 'alltoal'")

    @unittest.skipUnless("WEFT_TEST_WRONG_TYPES" in os.environ, "sanitizers allow nothing to be preloaded")
    def test_wrong_data(self):
        wrong = {"LD_PRELOAD": os.environ["WEFT_TEST_WRONG_TYPES"]}
        self.fails(weft("exchange", "--bytes", "64", "--strategy", "alltoallv", ranks=2, environment=wrong), 1,
                   "alltoallv gave wrong data of 64 B")


class Types(Test):
    def test_types(self):
        out = self.fine(weft("types", "--shape", "7x5", ranks=2)).out
        # rank 0 has rows 0 to 3 of 5 and sends columns 3 and 4 to rank 1; it receives columns of 7 by their rows
        self.assertIn("forward, exchange 0, tile 0, to member 1: matches its pattern\n  128 bytes, extent [48, 320)",
                      out)
        self.assertIn("bytes in order: [48, 80), [128, 160), [208, 240), [288, 320)\n", out)
        self.assertIn("from member 1: matches its pattern\n  144 bytes, extent [64, 336)", out)
        self.assertIn("bytes in order: [64, 80), [176, 192), [288, 304), [80, 96), and 5 more\n", out)
        self.assertIn("rank 0: all 8 datatypes match their patterns\n", out)
        real = self.fine(
            weft("types", "--shape", "6x5x4", "--kind", "r2c", "--tiles", "gathered", "--rank", "2", ranks=3)).out
        self.assertRegex(real, r"rank 2: all \d+ datatypes match their patterns\n")
        self.assertIn("isend sends packed memory",
                      self.fine(weft("types", "--shape", "7x5", "--strategy", "isend", ranks=2)).out)
        self.fails(weft("types", "--shape", "7x5", "--rank", "2", ranks=2), 2, "--rank 2: there are ranks 0 to 1")

    @unittest.skipUnless("WEFT_TEST_WRONG_TYPES" in os.environ, "sanitizers allow nothing to be preloaded")
    def test_types_of_an_mpi_that_makes_them_wrongly(self):
        wrong = {"LD_PRELOAD": os.environ["WEFT_TEST_WRONG_TYPES"]}
        result = weft("types", "--shape", "7x5", ranks=2, environment=wrong)
        self.assertEqual(result.code, 1, result)
        self.assertRegex(result.out, r"rank 0: \d+ of 8 datatypes differ from their patterns\n")
        self.assertIn("to member 1: DIFFERS from its pattern", result.out)
        self.assertRegex(result.err, r"weft: rank \d: \d+ of 8 datatypes differ from their patterns; see --rank \d")


if __name__ == "__main__":
    main()
