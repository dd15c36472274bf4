#!/usr/bin/env python3
"""Runs the comparison on tiny cases and checks what it reports: compare.py WEFT [unittest options]."""
import json
import math
import os
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import Result  # noqa: E402

WEFT = os.path.abspath(sys.argv[1])


def compare(ranks, *words):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.json")
        done = Result([WEFT, "--ranks", str(ranks), "compare", *words, "--json", path], seconds=120)
        result = None
        if os.path.exists(path):
            with open(path) as file:
                result = json.load(file)
    return done, result


class Compare(unittest.TestCase):
    def check(self, ranks, *words, without=()):
        """Every contender that should run runs, is right and is timed."""
        if without:
            words += "--contender", f"^(?!({'|'.join(without)})$)"
        done, result = compare(ranks, *words, "--repeat", "3")
        self.assertEqual(done.code, 0, done.out + done.err)
        rows = {row["contender"]: row for row in result["rows"]}
        wanted = {"weft 1 rank", "fftw serial", "fftw-mpi transposed in place", "fftw-mpi natural out of place"}
        if ranks > 1:
            wanted |= {
                "weft direct", "weft direct preserving", "weft direct natural", "weft messages",
                "weft 1 rank with threads", "fftw threads"
            }
        self.assertLessEqual(wanted - set(without), rows.keys())
        for row in rows.values():
            self.assertIn("median_seconds", row, row)
            self.assertEqual(row["case"]["ranks"], ranks)
            self.assertTrue(0 <= row["relative_error"] <= row["tolerance"], row)
            self.assertTrue(0 < row["min_seconds"] <= row["median_seconds"] <= row["max_seconds"], row)
            self.assertTrue(2 <= len(row["seconds"]) <= 6,
                            row)  # 3 were asked for; those that find the cores apart are left out and repeated
            self.assertIn(row["options"], [tried["options"] for tried in row["tried"]])
            serial = rows["fftw serial"]["median_seconds"]
            self.assertTrue(
                math.isclose(row["speedup_over_serial_fftw_per_rank"], serial / row["median_seconds"] / ranks))
            if row["peer"]:
                self.assertGreaterEqual(len(row["tried"]), 3)
        self.assertEqual(result["summary"]["hop_seconds"] > 0, 1 < ranks <= os.cpu_count())
        self.assertGreaterEqual(result["summary"]["turns"], 3 * len(rows))
        return done, rows, result["summary"]

    def test_plane_waves(self):
        for words in (["--sphere", "2"], ["--boxcut", "--batch", "2"]):
            done, result = compare(2, "--shape", "8x9x10", *words, "--repeat", "3", "--at-most", "dense=1000")
            self.assertEqual(done.code, 0, done.out + done.err)
            rows = {row["contender"]: row for row in result["rows"]}
            self.assertLessEqual({"weft direct", "weft messages", "weft dense", "fftw serial"}, rows.keys())
            for row in rows.values():
                self.assertTrue(0 <= row["relative_error"] <= row["tolerance"], row)
            self.assertTrue(
                math.isclose(result["summary"]["weft_over_weft"]["dense"],
                             rows["weft direct"]["median_seconds"] / rows["weft dense"]["median_seconds"]))

    def test_two_ranks(self):
        done, rows, summary = self.check(2, "--shape", "6x10x9", "--at-most", "transposed=1000,natural=0",
                                         "--at-least", "scaling=1000")
        peers = [
            row["median_seconds"] for row in rows.values()
            if row["peer"] and row["group"] in ("transposed", "natural")
        ]
        best = min(rows["weft direct"]["median_seconds"], rows["weft messages"]["median_seconds"])
        self.assertTrue(math.isclose(summary["weft_over_best_peer"]["transposed"], best / min(peers)))
        self.assertTrue(
            math.isclose(summary["weft_over_best_peer"]["messages"],
                         rows["weft messages"]["median_seconds"] / min(peers)))
        self.assertTrue(math.isclose(summary["scaling"], rows["weft 1 rank"]["median_seconds"] / 2 / best))
        self.assertEqual({target["name"]: target["met"]
                          for target in summary["targets"]}, {"transposed": True, "natural": False, "scaling": False})
        self.assertIsInstance(summary["void"], bool)
        self.assertEqual("VOID" in done.out, summary["void"])
        for name in rows:
            self.assertIn(name, done.out)

    def test_real_batched_float(self):
        _, rows, _ = self.check(2, "--kind", "r2c", "--shape", "8x6x10", "--precision", "float", "--batch", "3",
                                without=["fftw threads"])  # which starts threads at every call
        self.assertEqual(rows["weft direct in double"]["case"]["precision"], "double")

    def test_two_dimensions(self):
        self.check(2, "--shape", "12x15", "--kind", "r2c", without=["fftw threads"])

    def test_one_rank(self):
        _, _, summary = self.check(1, "--shape", "5x4x6")
        self.assertEqual(summary["weft_over_best_peer"].keys() & {"messages", "threads"}, set())

    def test_some_contenders(self):
        done, result = compare(2, "--shape", "4x4x4", "--repeat", "1", "--contender", "messages,mpi.*in place$")
        self.assertEqual(
            [row["contender"] for row in result["rows"]],
            ["weft messages", "fftw serial", "fftw-mpi transposed in place", "fftw-mpi natural in place"], done.err)

    def test_limits(self):
        done, result = compare(1, "--limits", "--shape", "64x64x64")
        self.assertEqual(done.code, 0, done.err)
        self.assertTrue(all(limit["one_rank"] > 0 and limit["all_ranks"] > 0 for limit in result["limits"]))
        self.assertEqual([limit["what"] for limit in result["limits"] if limit["unit"] == "GFlop/s"],
                         ["lines of 64 in cache"])
        self.assertIn("no-overlap limit", done.out)

    def test_figures(self):
        """bench/figures makes of two runs one case, with what they say."""
        path = Path(__file__).resolve().parents[2] / "bench/figures"
        figures = module_from_spec(spec_from_loader("figures", SourceFileLoader("figures", str(path))))
        figures.__loader__.exec_module(figures)
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            results = []
            for run in "ab":
                (folder / run).mkdir()
                done, result = compare(2, "--shape", "6x10x9", "--repeat", "1", "--at-most", "transposed=1000")
                self.assertEqual(done.code, 0, done.out + done.err)
                (folder / run / "1.json").write_text(json.dumps(result))
                results.append(result)
            figures.RESULTS = folder / "results"
            figures.add("one", [folder / "a", folder / "b"], None, processor="P", caches=None, version="v", note=None)
            one = json.loads((folder / "results/one.json").read_text())
        self.assertEqual((one["processor"], len(one["cases"])), ("P", 1))
        case = one["cases"][0]
        self.assertEqual(case["case"],
                         {"kind": "c2c", "shape": [6, 10, 9], "precision": "double", "batch": 1, "ranks": 2})
        rows = {row["contender"]: row["median_seconds"] for row in results[0]["rows"]}
        peer = min(rows[f"fftw-mpi natural {where}"] for where in ("in place", "out of place"))
        for name, seconds in {"weft direct": rows["weft direct"], "fftw-mpi natural": peer}.items():
            self.assertTrue(math.isclose(case["milliseconds"][name], 1e3 * seconds, rel_tol=0.01), name)
        ratios = [result["summary"]["weft_over_best_peer"]["transposed"] for result in results]
        self.assertEqual(case["ratios"]["transposed"], [round(ratio, 2) for ratio in ratios])
        self.assertEqual(case["void"], [result["summary"]["void"] for result in results])
        self.assertEqual(case["targets"], {"transposed": 1000})
        text = "\n".join(figures.section(one))
        self.assertIn(
            "| 6x10x9 | " + " ".join(f"{r:.2f}" + "*" * v
                                     for r, v in zip(case["ratios"]["transposed"], case["void"])) + " (1000)", text)

    def test_wrong_command_lines(self):
        for words, text in {("--shape", "4x"): "--shape 4x", ("--kind", "dct2"): "--kind",
                            ("--contender", "nobody"): "names none of", ("--contender", "("): "--contender",
                            ("--at-most", "fast"): "'fast'", ("--batch", "0"): "--batch"}.items():
            done, result = compare(2, *words)
            self.assertEqual(done.code, 2, (words, done.err))
            self.assertEqual(done.err.count(text), 1, (words, done.err))
            self.assertIsNone(result)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
