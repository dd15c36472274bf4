#!/usr/bin/env python3
"""weft model, as users call it, and with what they may get wrong: model.py WEFT [unittest options]."""
import json
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import Result  # noqa: E402

WEFT = os.path.abspath(sys.argv[1])

# Dubey and Tessera, T3E, 256^3, as printed.
T3E = """# milliseconds
ranks, comm_ms, comp_ms
32, 139.75, 804.33
64, 92.01, 401.53
128, 48.77, 200.12
256, 17.01, 99.42
"""


class Model(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w") as file:
                file.write(text)
        return path

    def model(self, *words, ranks=1):
        """What the command wrote as JSON, and what it said."""
        path = self.path("out.json")
        result = Result([WEFT, "--ranks", str(ranks), "model", *words, "--json", path])
        self.assertEqual(result.code, 0, result)
        with open(path) as file:
            return json.load(file), result.out

    def refused(self, *words):
        result = Result([WEFT, "--ranks", "1", "model", *words])
        self.assertEqual(result.code, 2, result)
        return result.err

    def test_fit(self):
        table = self.path("t3e.csv", T3E)
        found, said = self.model("fit", "--form", "comm", table, "--column", "comm_ms", "--at", "64,451", "--work", "0.125")
        for sample in found["samples"]:
            self.assertAlmostEqual(sample["fitted"], sample["measured"], delta=0.0051)
        self.assertAlmostEqual(found["coefficients"]["a1"]["value"], 13210, delta=30)
        self.assertEqual(found["range"], [32, 256])
        inside, outside = found["predictions"]
        self.assertEqual(f"{inside['value']:.2f}", "11.50")
        self.assertEqual(inside["warning"], "")
        self.assertEqual(outside["value"], 0)
        self.assertGreater(outside["error"], 0)
        self.assertIn("outside", outside["warning"])
        self.assertIn("outside of the 32 to 256 ranks", said)

    def test_amdahl(self):
        rows = "".join(f"{p},{10 * (0.012 + 0.988 / p)!r}\n" for p in (1, 16, 128, 352, 704))
        found, said = self.model("fit", "--form", "amdahl", self.path("a.csv", "ranks,seconds\n" + rows))
        self.assertEqual(f"{found['limit']:.1f}", "83.3")
        self.assertIn("more than 83.3 times", said)

    def test_wrong_tables(self):
        for text, wanted in (("", "is empty"), ("ranks\n1\n", "beside ranks"), ("cores,ms\n1,2\n", "called ranks"),
                             ("ranks,a,b\n1,2,3\n", "--column"), ("ranks,ms\n1\n", "line 2: 1 values"),
                             ("ranks,ms\n1,2x\n", "'2x' is no number"), ("ranks,ms\n1,nan\n", "'nan' is no number"),
                             ("ranks,ms\n1,2\n", "at least 3"), ("ranks,ms\n1,2\n2,-1\n4,1\n", "above 0"),
                             ("ranks,ms\n0,2\n2,1\n4,1\n", "1 rank or more")):
            self.assertIn(wanted, self.refused("fit", "--form", "comp", self.path("x.csv", text)))
        table = self.path("t3e.csv", T3E)
        self.assertIn("no column c", self.refused("fit", "--form", "comp", table, "--column", "c"))
        self.assertIn("no time on 1 rank", self.refused("fit", "--form", "amdahl", table, "--column", "comm_ms"))
        self.assertIn("0 ranks", self.refused("fit", "--form", "comp", table, "--column", "comp_ms", "--at", "0"))

    def test_measured_and_predicted(self):
        machine, said = self.model("measure", ranks=2)
        self.assertIn("message_seconds", said)
        self.assertEqual((machine["ranks"], machine["nodes"]), (2, 1))
        path = self.path("machine.json", json.dumps(machine))
        (two, many), said = self.model("predict", "--machine", path, "--for", "2,1024", "--shape", "128x128x128")
        for row in two, many:
            ran = [f for f in row["forecasts"] if "declined" not in f]
            self.assertGreater(len(ran), 8)
            for f in ran:
                self.assertLess(f["least_seconds"], f["seconds"])
                self.assertLess(f["seconds"], f["most_seconds"])
        self.assertEqual(two["forecasts"][0]["warning"], "")
        self.assertIn("2 ranks on 1 node", many["forecasts"][0]["warning"])
        self.assertIn("outside of what was measured", said)

    def test_machine_by_hand(self):
        path = self.path("hand.json", '{"node_message_seconds": 4e-6, "messages": [[8, 1e8], [1e6, 1e10]]}')
        (row,), said = self.model("predict", "--machine", path, "--for", "288", "--ranks-per-node", "24", "--shape",
                                  "64x64x64", "--strategy", "node")
        self.assertEqual(row["nodes"], 12)
        self.assertIn("by hand", said)

    def test_wrong_machines(self):
        for text, wanted in (("", "no JSON"), ("[]", "no profile"), ("{}", "no profile"), ('{"latency": 1}', "latency"),
                             ('{"message_seconds": 0}', "above 0"), ('{"message_seconds": "x"}', "above 0"),
                             ('{"ranks": 1.5}', "whole number"), ('{"lines": 3}', "pairs"), ('{"lines": [[1]]}', "pairs"),
                             ('{"lines": [[4, 1], [2, 1]]}', "ascend"), ('{"copies": [[0, 1]]}', "above 0")):
            path = self.path("m.json", text)
            self.assertIn(wanted, self.refused("predict", "--machine", path, "--for", "4", "--shape", "8x8"))
        path = self.path("m.json", '{"message_seconds": 1e-6}')
        for words, wanted in ((("--for", "0"), "1 to 65536"), (("--for", "4", "--nodes", "0,1"), "2 numbers"),
                              (("--for", "x"), "'x'"), (("--for", "4", "--strategy", "nope"), "nope"),
                              (("--for", "4", "--layout", "3x5"), "3x5"), (("--for", "4", "--sphere", "3"), "plane waves")):
            shape = ("--shape", "8x8x8")
            self.assertIn(wanted, self.refused("predict", "--machine", path, *shape, *words))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
