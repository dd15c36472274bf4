#!/usr/bin/env python3
"""Benchmarks: every strategy verified, kernels, nodes, input from files."""
import json
import math
import os
import unittest

from support import BenchTest, main, weft, write_npy


class Bench(BenchTest):
    def test_every_strategy_is_verified(self):
        names = [entry["name"] for entry in json.loads(weft("list", "--json").out)["strategies"]]
        for ranks, words in (2, ["--shape",
                                 "7x11x13"]), (2, ["--shape", "16x12x8", "--kind", "r2c", "--layout",
                                                   "pencil"]), (1, ["--shape", "8x6x4"]):
            result, rows = self.bench(*words, ranks=ranks)
            self.assertEqual([row["strategy"] for row in rows], names, result)
            for row in rows:
                self.assertIn(row["strategy"], result.out)
                for key in ("kind", "shape", "precision", "ranks", "layout", "schedule", "median_seconds",
                            "min_seconds", "max_seconds", "exchange_seconds", "fft_seconds", "bytes_sent", "messages",
                            "relative_error", "engine", "threads", "weft", "mpi"):
                    self.assertIn(key, row)
                if "declined" in row:
                    self.assertIn("declined: " + row["declined"], result.out)
                    continue
                self.assertLess(row["relative_error"], 1e-14, result)
                self.assertLessEqual(row["min_seconds"], row["median_seconds"])
                self.assertLessEqual(row["median_seconds"], row["max_seconds"])
                self.assertEqual(row["effective"]["strategy"], row["strategy"])

    def test_declined_is_no_error_and_an_error_not_declined(self):
        rows = self.bench("--shape", "7x6x5", "--strategy", "alltoall,isend")[1]
        self.assertIn("equal", rows[0]["declined"])
        result, rows = self.bench("--shape", "8x6x4", "--strategy", "direct,isend",
                                  environment={"WEFT_SHARED_MEMORY": "none"}, code=1)
        self.assertNotIn("declined", rows[0])
        self.assertIn("WEFT_SHARED_MEMORY=none", rows[0]["error"])
        self.assertIn("error: " + rows[0]["error"], result.out)
        self.assertIn("FAILED", result.out)
        self.assertLess(rows[1]["relative_error"], 1e-14)

    def test_single_precision_on_the_wire(self):
        sent, declined = self.bench("--shape", "8x6x4", "--wire", "single", "--strategy", "alltoallv,direct")[1]
        self.assertEqual(sent["effective"]["wire"], "single")
        self.assertLess(sent["relative_error"], sent["tolerance"])
        self.assertGreater(sent["relative_error"], 1e-10)
        self.assertEqual(2 * sent["bytes_sent"],
                         self.bench("--shape", "8x6x4", "--strategy", "alltoallv")[1][0]["bytes_sent"])
        self.assertIn("no messages", declined["declined"])
        self.assertEqual(weft("bench", "--wire", "half", ranks=2).code, 2)

    def test_kernels(self):
        kernels = json.loads(weft("list", "--json").out)["kernels"]
        result, rows = self.bench("--kernel", "all", "--shape", "8x12x10")
        self.assertEqual([(row["kernel"], row["strategy"]) for row in rows],
                         [(k["name"], k["strategy"]) for k in kernels])
        self.assertFalse([row for row in rows if "declined" in row], result)
        self.assertEqual([row["kernel"] for row in rows if row["threads"] == 2], ["thread"])
        rows = self.bench("--kernel", "thread,oneplane,pipelined", "--shape", "7x11x13", "--tile", "2", "--window",
                          "1", "--threads", "1")[1]
        self.assertIn("at least 2", rows[0]["declined"])
        self.assertIn("not all pairs", rows[1]["declined"])
        self.assertEqual([rows[2]["effective"][key] for key in ("tiles", "tile", "window")], ["gathered", 2, 1])
        self.assertIn("replace, standard", weft("bench", "--kernel", "nope").err)
        self.assertIn("--strategy", weft("bench", "--kernel", "overlap", "--strategy", "isend").err)

    def test_messages_and_bytes(self):
        rows = self.bench("--strategy", "isend", "--shape", "8x8x8")[1]
        self.assertEqual([rows[0][key] for key in ("calls", "messages", "bytes_sent")], [4, 2, 2 * 8 * 4 * 4 * 16])
        operations = 1e9 * rows[0]["gflop_per_second"] * rows[0]["median_seconds"]
        self.assertAlmostEqual(operations, 2 * 5 * 512 * 9, delta=1)  # there and back

    @unittest.skipUnless("WEFT_TEST_WRONG_TYPES" in os.environ, "sanitizers allow nothing to be preloaded")
    def test_wrong_results(self):
        wrong = {"LD_PRELOAD": os.environ["WEFT_TEST_WRONG_TYPES"]}
        result, rows = self.bench("--strategy", "datatype", "--shape", "7x5", environment=wrong, code=1)
        self.assertGreater(rows[0]["relative_error"], rows[0]["tolerance"])
        self.assertIn("FAILED: an error above", result.out)

    def test_nodes(self):
        result, rows = self.bench("--strategy", "node", "--shape", "8x6x4", "--nodes", "0,1")
        self.assertEqual((rows[0]["nodes"], rows[0]["messages"]), (2, 2))
        self.assertIn("2 ranks on 2 nodes", result.out)
        result = self.fine(
            weft("exchange", "--strategy", "direct,node", "--bytes", "64", "--ranks-per-node", "1", "--repeat", "1",
                 ranks=2))
        self.assertIn("2 ranks on 2 nodes", result.out)
        self.assertIn("direct declined: members 0 and 1 are on different nodes", result.out)
        self.fails(weft("exchange", "--nodes", "0,1,2", ranks=2), 2, "nodes are given for 3 ranks")
        for words in ["--nodes", "0,x"], ["--nodes", "0,1", "--ranks-per-node", "1"], ["--ranks-per-node", "0"]:
            self.fails(weft("plan", *words), 2, words[0])

    def test_input(self):
        values = [math.sin(i * i) for i in range(7 * 6 * 5)]
        for kind, transforms in ("f4", ("r2c", )), ("f8", ("r2c", "c2c", "dct2")):
            write_npy(self.path("u.npy"), (7, 6, 5), kind, values)
            for transform in transforms:
                result, rows = self.bench("--input", self.path("u.npy"), "--kind", transform, "--strategy",
                                          "alltoallv,isend")
                self.assertEqual((rows[0]["shape"], rows[0]["precision"]),
                                 ([7, 6, 5], "single" if kind == "f4" else "double"))
                self.assertIn("a serial transform", rows[0]["reference"])
        rows = self.bench("--input", self.path("u.npy"), "--precision", "float", "--strategy", "isend")[1]
        self.assertEqual(rows[0]["precision"], "single")

    def test_log_has_plain_lines(self):
        self.assertNotIn("\x1b", self.bench("--shape", "4x4x4")[0].err)
        result = weft("bench", "--shape", "4x4x4",
                      environment={"WEFT_TERMINAL": "1",
                                   "OMPI_MCA_ess_singleton_isolated": "0"})  # once as users have it
        self.assertIn("\x1b", result.err)

    def test_bench_table_is_sorted_by_time(self):
        names = "sendrecv,isend,alltoall,bruck,alltoallv"
        result = weft("bench", "--shape", "8x6x5", "--strategy", names, "--effort", "estimate", "--repeat", "3",
                      ranks=2)
        self.fine(result)
        rows = [
            line.split() for line in result.out.splitlines()
            if line.split()[:1] and line.split()[0] in names.split(",")
        ]
        self.assertEqual(len(rows), 5)
        ran = [float(row[1]) for row in rows if row[1] != "declined:"]
        self.assertGreaterEqual(len(ran), 4)
        self.assertEqual(ran, sorted(ran))
        self.assertEqual([row[1] == "declined:" for row in rows], sorted(row[1] == "declined:" for row in rows))


if __name__ == "__main__":
    main()
