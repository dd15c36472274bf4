#!/usr/bin/env python3
"""weft model, as users call it, and with what they may get wrong: model.py WEFT [unittest options]."""
import importlib.machinery
import importlib.util
import json
import os
import sys
import tempfile
import types
import unittest
import unittest.mock

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

    def model(self, *words, ranks=0, **environment):
        """What the command wrote as JSON, and what it said."""
        path = self.path("out.json")
        result = Result([WEFT, *(["--ranks", str(ranks)] if ranks else []), "model", *words, "--json", path],
                        environment=environment)
        self.assertEqual(result.code, 0, result)
        with open(path) as file:
            return json.load(file), result.out

    def refused(self, *words):
        result = Result([WEFT, "model", *words])
        self.assertEqual(result.code, 2, result)
        return result.err

    def pipe(self):
        """One that nobody writes to: opening it never ends."""
        path = self.path("pipe")
        if not os.path.exists(path):
            os.mkfifo(path)
        return path

    def test_fit(self):
        table = self.path("t3e.csv", T3E)
        found, said = self.model("fit", "--form", "comm", table, "--column", "comm_ms", "--at", "64,460",
                                 "--work", "0.125")
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
                             ("ranks,ms\n0,2\n2,1\n4,1\n", "1 rank or more"),
                             ("some words\n", "called ranks"), ("ranks,ms\na line, of text\n", "'a line' is no number"),
                             ("ranks,ms\n2,1\n2,1\n2,2\n2,3\n", "numbers of ranks"),
                             ("ranks,ms\n1,1\n2,inf\n4,1\n", "'inf' is no number")):
            self.assertIn(wanted, self.refused("fit", "--form", "comp", self.path("x.csv", text)))
        table = self.path("t3e.csv", T3E)
        self.assertIn("no column c", self.refused("fit", "--form", "comp", table, "--column", "c"))
        self.assertIn("no time on 1 rank", self.refused("fit", "--form", "amdahl", table, "--column", "comm_ms"))
        self.assertIn("0 ranks", self.refused("fit", "--form", "comp", table, "--column", "comp_ms", "--at", "0"))
        for times in ("1,4\n2,0\n4,1\n", "1,4\n2,-1\n4,1\n"):
            self.assertIn("above 0", self.refused("fit", "--form", "amdahl", self.path("x.csv", "ranks,ms\n" + times)))
        self.assertIn("no regular file", self.refused("fit", "--form", "comp", self.folder.name))
        self.assertIn("no regular file", self.refused("fit", "--form", "comp", self.pipe()))
        self.assertIn("No such file", self.refused("fit", "--form", "comp", self.path("nowhere.csv")))

    def test_measured_and_predicted(self):
        kept = self.path("wisdom.json")
        machine, said = self.model("measure", "--seconds", "3", ranks=2, WEFT_WISDOM=kept)
        with open(kept) as file:
            self.assertIn("flops_per_second", file.read())  # plans find it there
        self.assertIn("message_seconds", said)
        os.remove(kept)
        self.model("measure", "--seconds", "0.1", "--no-wisdom", ranks=2, WEFT_WISDOM=kept)
        self.assertFalse(os.path.exists(kept))
        self.assertEqual((machine["ranks"], machine["nodes"]), (2, 1))
        self.assertGreaterEqual(set(machine["exchanges"]), {"isend", "direct", "alltoallv"})
        self.assertGreater(len(machine["work"]), 0)
        path = self.path("machine.json", json.dumps(machine))
        (two, many), said = self.model("predict", "--machine", path, "--for", "2,1024", "--shape", "128x128x128")
        for row in two, many:
            ran = [f for f in row["forecasts"] if "declined" not in f]
            self.assertGreater(len(ran), 8)
            for f in ran:
                self.assertLess(f["least_seconds"], f["seconds"])
                self.assertLess(f["seconds"], f["most_seconds"])
                self.assertAlmostEqual(f["forward_seconds"] + f["backward_seconds"], f["seconds"], delta=1e-12)
                self.assertAlmostEqual(f["work_seconds"] + f["exchange_seconds"] - f["overlapped_seconds"],
                                       f["seconds"], delta=1e-9 * f["seconds"])
        sent = next(f for f in two["forecasts"] if f["strategy"] == "isend")  # both ranks are on one node
        self.assertTrue(sent["messages"] > 0 and sent["bytes"] > 0 and sent["node_messages"] == sent["node_bytes"] == 0)
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
                             ('{"ranks": 1.5}', "whole number"), ('{"lines": 3}', "pairs"),
                             ('{"lines": [[1]]}', "pairs"),
                             ('{"lines": [[4, 1], [2, 1]]}', "ascend"), ('{"copies": [[0, 1]]}', "above 0"),
                             ('{"work": 3}', "pairs [size, ratio]"), ('{"work": [[1, -1]]}', "above 0"),
                             ('{"exchanges": []}', "object of strategies"),
                             ('{"exchanges": {"x": {"2": [[1, 1]]}}}', "'x'"),
                             ('{"exchanges": {"isend": {"2": [[2, 1], [1, 1]]}}}',
                              "isend on 2 ranks do not ascend"),
                             ('{"exchanges": {"isend": {"0": [[2, 1]]}}}', "above 0"),
                             ('{"real_work": [[1, 0]]}', "above 0"), ('{"real_lines": [[8]]}', "pairs [size, rate]"),
                             ('{"node_processor": 3}', "pairs [size, number of seconds]"),
                             ('{"message_seconds": NaN}', "no JSON"), ('{"message_seconds": 1e999}', "no JSON"),
                             ('{"node_bytes_per_second": -1}', "above 0")):
            path = self.path("m.json", text)
            self.assertIn(wanted, self.refused("predict", "--machine", path, "--for", "4", "--shape", "8x8"))
        for wrong in self.folder.name, self.pipe():
            said = self.refused("predict", "--machine", wrong, "--for", "4", "--shape", "8x8")
            self.assertIn("no regular file", said)
        path = self.path("m.json", '{"message_seconds": 1e-6}')
        for words, wanted in ((("--for", "0"), "1 to 65536"), (("--for", "4", "--nodes", "0,1"), "2 numbers"),
                              (("--for", "x"), "'x'"), (("--for", "4", "--strategy", "nope"), "nope"),
                              (("--for", "4", "--layout", "3x5"), "3x5"),
                              (("--for", "4", "--sphere", "3"), "plane waves")):
            shape = ("--shape", "8x8x8")
            self.assertIn(wanted, self.refused("predict", "--machine", path, *shape, *words))

    def beside(self, program, *words):
        """A program beside weft."""
        return Result([WEFT, program, *words], environment={"WEFT_PROGRAM": WEFT})

    def test_study(self):
        out = self.path("studies")
        done = self.beside("study", "kernels", "--ranks", "1,2,3", "--shape", "12x12x12", "--repeat", "2", "-o", out)
        self.assertEqual(done.code, 0, done)
        with open(os.path.join(out, "kernels.json")) as file:
            data = json.load(file)
        self.assertEqual({row["ranks"] for row in data["rows"]}, {1, 2, 3})
        self.assertEqual(set(data["fits"]), {"replace", "standard", "overlap", "oneplane", "allplanes"})
        fits = data["fits"]["overlap"]
        self.assertIn("at least 4", fits["comm"]["none"])
        self.assertEqual(len(data["predictions"]), 5)
        for said in data["predictions"]:  # too few ranks for a fit of communication
            self.assertGreater(said["seconds"], 0)
            self.assertIsNone(said["error_seconds"])
            self.assertIn("no range: too few runs for a fit of comm", said["no_error"])
        self.assertEqual("none" in fits["comp"] or fits["comp"]["range"] == [1, 3], True)
        with open(os.path.join(out, "kernels.md")) as file:
            page = file.read()
        self.assertIn("| allplanes | 2 |", page)
        self.assertIn("    weft --ranks 3 bench", page)
        self.assertIn("6x6x6 on 3 ranks", page)
        self.assertEqual(page.count("| no range: too few runs for a fit of comm"), 5)
        done = self.beside("study", "bruck", "--ranks", "2", "--repeat", "2", "-o", out)
        self.assertEqual(done.code, 0, done)
        with open(os.path.join(out, "bruck.md")) as file:
            self.assertIn("| bytes | alltoall |", file.read())
        done = self.beside("study", "forecasts", "--ranks", "1", "--seconds", "2", "--cases", "c2c 12x12x12,r2c 8x8",
                           "--repeat", "2", "-o", out)
        self.assertEqual(done.code, 0, done)
        left = os.path.join(out, "forecasts.json")
        done = self.beside("study", "forecasts", "--only-add", "--add", left, "--add", left, "-o", self.path("both"))
        self.assertEqual(done.code, 0, done)
        with open(os.path.join(self.path("both"), "forecasts.json")) as file:
            data = json.load(file)
        self.assertEqual([row["shape"] for row in data["rows"]], 2 * ["12x12x12", "8x8"])
        for row in data["rows"]:
            self.assertGreater(row["median_seconds"], 0)
            self.assertLess(row["forecast_least_seconds"], row["forecast_seconds"])
        self.assertEqual({total["cases"] for total in data["totals"]}, {2})
        for words, wanted in ((("nope",), "nope"), (("kernels", "--ranks", "0"), "'0'"),
                              (("forecasts", "--cases", "c2c"), "'c2c' is no kind"),
                              (("forecasts", "--only-add", "--add", "nowhere.json"), "nowhere.json"),
                              (("forecasts", "--only-add", "--add", self.pipe()), "no forecasts.json"),
                              (("kernels", "-o", os.path.join(left, "folder")), "it cannot be written to"),
                              (("kernels", "-o", "/proc/weft"), "it cannot be written to"),
                              (("kernels", "--repeat", "0"), "--repeat 0"),
                              (("kernels", "--shape", "4xx"), "4xx")):
            done = self.beside("study", *words)
            self.assertEqual(done.code, 2, done)
            self.assertIn(wanted, done.err)

    def study(self):
        """The program as a module."""
        path = os.path.join(os.path.dirname(WEFT), "weft-study")
        loader = importlib.machinery.SourceFileLoader("study", path)
        study = importlib.util.module_from_spec(importlib.util.spec_from_file_location("study", path, loader=loader))
        with unittest.mock.patch("sys.dont_write_bytecode", True):
            loader.exec_module(study)
        return study

    def test_simulated_winners(self):
        """The same, tied, or near: b is as fast as a in the simulation, and c wins what it should not."""
        study = self.study()
        asked = types.SimpleNamespace(output=self.folder.name)
        one = study.Study("forecasts", asked)
        one.data["rows"] = [
            {"start": "", "ranks": 4, "shape": shape, "layout": "slab", "strategy": name, "median_seconds": measured,
             "simulated_seconds": simulated}
            for shape, times in (("2x2x2", {"a": (1, 1), "b": (2, 1.005)}), ("4x4x4", {"a": (1.1, 1), "b": (1, 1.005)}),
                                 ("8x8x8", {"b": (1, 2), "c": (3, 1)}))
            for name, (measured, simulated) in times.items()]
        self.addCleanup(one.scratch.cleanup)
        study.simulated_winners(one)
        self.assertEqual(one.data["simulated"], {"cases": 3, "same": 1, "tied": 2, "near": 2})

    def test_predictions_have_ranges(self):
        """Of a share of the work, from fits; and where a form has none, words say why."""
        study = self.study()

        def fit(fitted, error):
            return {"samples": [{"ranks": 2, "fitted": 9, "error": 9}, {"ranks": 4, "fitted": fitted, "error": error}]}
        few, bent = {"none": "2 samples are too few"}, {"none": "the samples do not bend"}
        said = study.scaled({"comm": fit(1, 0.25), "comp": fit(3, 0.5)}, 0.5, {4: 7}, 4)
        self.assertEqual(said, {"seconds": 2, "error_seconds": 0.375, "no_error": None})
        for comm, why in ((few, "too few runs for a fit of comm"), (bent, "comm cannot be fitted")):
            said = study.scaled({"comm": comm, "comp": fit(3, 0.5)}, 0.5, {4: 7}, 4)
            self.assertEqual(said, {"seconds": 3.5, "error_seconds": None, "no_error": "no range: " + why})

    def test_study_of_forecasts_counts(self):
        """Of two cases with two strategies each: whom the forecast names, and how near its times are."""
        def row(ranks, strategy, measured, forecast, least, most, auto, simulated):
            return {"kind": "c2c", "shape": "8x8x8", "layout": "slab", "ranks": ranks, "nodes": 1, "start": "",
                    "strategy": strategy, "median_seconds": measured, "forecast_seconds": forecast,
                    "forecast_least_seconds": least, "forecast_most_seconds": most, "auto_seconds": auto,
                    "simulated_seconds": simulated}
        rows = [row(2, "isend", 1.0, 1.1, 0.9, 1.3, 1.1, 2), row(2, "direct", 1.5, 1.0, 0.5, 1.2, 1.1, 3),
                row(4, "isend", 1.0, 1.0, 0.9, 1.1, 2.0, 2), row(4, "direct", 1.1, 0.9, 0.8, 1.2, 2.0, 1)]
        given = self.path("given.json", json.dumps({"rows": rows, "commands": [], "machines": [], "runs": []}))
        out = self.path("out")
        done = self.beside("study", "forecasts", "--only-add", "--add", given, "-o", out)
        self.assertEqual(done.code, 0, done)
        with open(os.path.join(out, "forecasts.json")) as file:
            data = json.load(file)
        keys = "start", "ranks", "cases", "winners", "autos", "times", "near", "inside"
        self.assertEqual({tuple(total[key] for key in keys) for total in data["totals"]},
                         {("", 2, 1, 0, 1, 2, 1, 1), ("", 4, 1, 1, 0, 2, 2, 2), ("all", "", 2, 1, 1, 4, 3, 3)})
        self.assertEqual(data["simulated"], {"cases": 2, "same": 1, "tied": 1, "near": 2})
        with open(os.path.join(out, "forecasts.md")) as file:
            page = file.read()
        self.assertIn("| one node | 2 | c2c 8x8x8 | slab | direct | isend | 1.50 | 1.10 |", page)
        self.assertIn("| one node | 4 | c2c 8x8x8 | slab | direct | isend | 1.10 | 2.00 |", page)

    def test_report_over_ranks(self):
        def row(ranks, seconds, processor):
            return {"kind": "c2c", "shape": [64, 64, 64], "precision": "double", "ranks": ranks, "threads": 1,
                    "layout": "slab", "kernel": None, "strategy": "isend", "schedule": "one tile", "bytes_sent": 1,
                    "messages": 1, "relative_error": 0, "median_seconds": seconds, "min_seconds": seconds,
                    "max_seconds": seconds, "fft_seconds": seconds, "exchange_seconds": 0, "seconds": [seconds],
                    "processor": processor}
        files = [self.path(f"{name}.json", json.dumps([row(p, 0.02 + 0.98 / p, name) for p in (1, 2, 4, 8)]))
                 for name in ("one machine", "another")]
        exchanges = [{"strategy": "bruck", "ranks": 4, "nodes": 1, "message_bytes": size, "median_seconds": 1e-6,
                      "size": f"{size} B"} for size in (8, 64)]
        page = self.path("page.html")
        for data in ({"study": "forecasts", "rows": [{"strategy": "isend", "median_seconds": 1}]},
                     {"study": "datatypes", "rows": [{"variant": "manual"}]}, {"study": "kernels", "rows": []}):
            done = self.beside("report", self.path("no.json", json.dumps(data)), "-o", page)
            self.assertEqual(done.code, 2, done)
            self.assertIn("no pictures", done.err)
        done = self.beside("report", *files, self.path("exchange.json", json.dumps(exchanges)), "-o", page)
        if done.code == 1 and "matplotlib" in done.err:
            self.skipTest("no matplotlib")
        self.assertEqual(done.code, 0, done)
        with open(page) as file:
            text = file.read()
        for wanted in "Over numbers of ranks", "isend (another)", "isend (one machine)", "7.02", "0.88", "64 B":
            self.assertIn(wanted, text)
        self.assertNotIn("No fit of", text)
        # a study's file has the runs of all numbers of ranks; a kernel is one curve, whatever its window
        rows = [{**row(p, 0.02 + 0.98 / p, "one machine"), "kernel": "overlap", "schedule": f"window {p}"}
                for p in (1, 2, 4)]
        study = self.path("kernels.json", json.dumps({"study": "kernels", "rows": rows}))
        done = self.beside("report", study, "-o", page)
        self.assertEqual(done.code, 0, done)
        with open(page) as file:
            text = file.read()
        self.assertIn("Over numbers of ranks", text)
        self.assertEqual(text.count("Strategies side by side"), 3)

    def simulate_schedules(self, words):
        """Tiles overlap, layouts differ, and short messages alone are fewest by store and forward."""
        path = self.path("t.json")

        def rows(*more):
            done = self.beside(*words, *more, "--json", path)
            self.assertEqual(done.code, 0, done)
            with open(path) as file:
                return json.load(file)
        one, four = rows("--strategy", "isend", "--tiles", "1,4")
        self.assertEqual((one["tiles"], four["tiles"]), (1, 4))
        self.assertNotEqual(one["simulated_seconds"], four["simulated_seconds"])
        slab, pencil = rows("--strategy", "isend", "--layout", "slab,pencil")
        self.assertEqual((slab["layout"], pencil["layout"]), ([16], [4, 4]))
        pairwise, bruck = rows("--strategy", "alltoallv,bruck", "--exchange", "8")
        self.assertLess(2 * bruck["simulated_seconds"], pairwise["simulated_seconds"])
        for platform in "dragonfly", "torus", "cluster":
            self.assertGreater(rows("--strategy", "isend", "--platform", platform)[0]["simulated_seconds"], 0)

    def test_simulate(self):
        machine = self.path("m.json", '{"node_message_seconds": 4e-6, "node_bytes_per_second": 1e10}')
        words = ("simulate", "--machine", machine, "--ranks", "16", "--shape", "32x32x32")
        for more, wanted in ((("--strategy", "direct"), "direct"), (("--platform", "hypercube"), "hypercube"),
                             (("--layout", "3x5"), "3x5"), (("--per-node", "0"), "per-node 0"),
                             (("--tiles", "0"), "'0'"), (("--window", "0"), "--window 0"),
                             (("--exchange", "0"), "--exchange: '0'"), (("--ranks", "0"), "'0'"),
                             (("--ranks", "1000000"), "from 1 to 2048"), (("--limit", "0"), "--limit 0"),
                             (("--limit", "nan"), "--limit nan"), (("--machine", self.pipe()), "no regular file"),
                             (("--machine", self.folder.name), "no regular file"),
                             (("--platform", self.pipe()), "or a file of SimGrid"),
                             (("--machine", self.path("b.json", '{"message_seconds": -1}'), "--exchange", "8"),
                              "above 0"),
                             (("--shape", "32x32"), "three extents")):
            done = self.beside(*words, *more)
            self.assertEqual(done.code, 2, done)
            self.assertIn(wanted, done.err)
        done = self.beside(*words, "--json", os.path.join(machine, "s.json"))
        self.assertEqual(done.code, 1, done)
        self.assertIn("cannot write", done.err)
        done = self.beside(*words, "--per-node", "4", "--json", self.path("s.json"))
        said = done.out
        if done.code == 1:
            self.assertIn("libsimgrid-dev", done.err)
            self.skipTest("no SimGrid")
        self.assertEqual(done.code, 0, done)
        with open(self.path("s.json")) as file:
            rows = {row["strategy"]: row for row in json.load(file)}
        self.assertEqual(set(rows), {"isend", "alltoallv", "padded", "bruck", "node", "hierarchical", "leader"})
        self.simulate_schedules(words)
        wrong = self.path("wrong.xml", "no platform")
        done = self.beside(*words, "--strategy", "isend", "--platform", wrong)
        self.assertEqual(done.code, 2, done)
        self.assertIn("wrong.xml: smpirun failed: Parse error", done.err)
        other = self.path("other.xml", """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="h" suffix="" radical="0-15" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>
""")
        done = self.beside(*words, "--strategy", "isend", "--platform", other)
        self.assertEqual(done.code, 2, done)
        self.assertIn("'n0'", done.err)
        self.assertEqual(self.beside(*words, "--strategy", "isend", "--platform", other, "--prefix", "h").code, 0)
        self.assertIn("Give or take a factor of 2.00", said)
        self.assertIn("not measured", said)
        for row in rows.values():
            self.assertGreater(row["simulated_seconds"], 0)
            self.assertAlmostEqual(row["most_seconds"], 2 * row["simulated_seconds"])
            self.assertAlmostEqual(row["least_seconds"], row["simulated_seconds"] / 2)
        for ranks, wanted in (8, "Outside of what was measured: 8 ranks"), (16, "as the machine's file has it.\n"):
            known = self.path("known.json", json.dumps({"node_message_seconds": 4e-6, "relative_error": 0.5,
                                                        "ranks": ranks}))
            said = self.beside("simulate", "--machine", known, *words[3:], "--strategy", "isend").out
            self.assertIn("Give or take a factor of 1.50", said)
            self.assertIn(wanted, said)
        # all bytes of a node cross its link, 3/4 of its share of 512 KiB, there and back
        self.assertGreater(rows["isend"]["simulated_seconds"], 2 * 3 / 4 * 2 ** 19 / 4 / 1e10)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
