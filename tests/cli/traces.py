#!/usr/bin/env python3
"""Traces, and the page of them."""
import html
import json
import math
import os

from support import Test, main, weft, write_npy


class Traces(Test):
    def trace(self, name):
        """Read, and looked at: every rank is in it, spans lie in executions, and the two sums of communication
        time are one."""
        with open(self.path(name)) as file:
            data = json.load(file)
        spans = [event for event in data["traceEvents"] if event["ph"] == "X"]
        executions = [event for event in spans if event["cat"] == "execution"]
        self.assertEqual({event["pid"] for event in spans}, set(range(len(data["weft"]["ranks"]))))
        for event in spans:
            self.assertTrue(
                any(e["pid"] == event["pid"] and e["ts"] <= event["ts"] + 2e-3 and event["ts"] +
                    event["dur"] <= e["ts"] + e["dur"] + 2e-3 for e in executions), event)
            self.assertLess(event["args"]["list"], len(data["weft"]["lists"]))
        sums = data["weft"]["communication"]
        self.assertAlmostEqual(sums["integral_rank_seconds"], sums["sum_rank_seconds"], delta=1e-9 * len(spans))
        starts = [event["args"] for event in spans if event["name"] == "start"]
        self.assertEqual({tuple(sorted(start))
                          for start in starts}, {("bytes", "exchange", "list", "peers", "strategy", "tile")})
        counters = [event for event in data["traceEvents"] if event["ph"] == "C"]
        self.assertEqual(counters[-1]["args"]["ranks"], 0)
        return data, executions

    def test_bench_and_report(self):
        self.fine(
            weft("bench", "--shape", "8x6x5", "--strategy", "isend,alltoallv", "--repeat", "2", "--tiles", "gathered",
                 "--communicate", "thread", "--threads", "2", "--json", self.path("rows.json"), "--trace",
                 self.path("trace.json"), ranks=2))
        data, executions = self.trace("trace.json")
        self.assertEqual(len(executions), 2 * 2 * 2 * 2)  # strategies, repeats, directions, ranks
        self.assertEqual({event["tid"] for event in data["traceEvents"] if event.get("cat") == "work"}, {1})
        for strategy in "isend", "alltoallv":
            self.assertTrue(any(strategy in entry["plan"] for entry in data["weft"]["lists"]))
        with open(self.path("tune.json"), "w") as file:
            json.dump(
                {
                    "problem": {"kind": "c2c", "shape": [8, 6, 5]}, "choice": {"strategy": "isend"}, "candidates": [{
                        "name": "isend", "strategy": "isend", "schedule": {}, "predicted_seconds": 1e-3,
                        "measured_seconds": 2e-3, "measurements": 4, "round": 2, "verdict": "chosen"
                    }, {
                        "name": "put", "strategy": "put", "schedule": {}, "predicted_seconds": 4e-3,
                        "measured_seconds": None, "measurements": 0, "round": 0, "verdict": "not measured"
                    }]
                }, file)
        self.fine(
            weft("tune", "--shape", "8x6x5", "--strategy", "isend", "--effort", "estimate", "--seconds", "1",
                 "--no-wisdom", "--trace", self.path("search.json"), ranks=2))
        self.assertEqual({event["name"] for event in self.trace("search.json")[1]}, {"forward", "backward"})
        page = self.path("page.html")
        result = weft("report", self.path("rows.json"), self.path("trace.json"), self.path("tune.json"),
                      self.path("search.json"), "-o", page)
        if result.code == 1 and "matplotlib" in result.err:
            self.fails(result, 1, "weft report: the pictures need matplotlib")
        else:
            self.fine(result)
            with open(page) as file:
                text = file.read()
            self.assertGreaterEqual(text.count("<svg"), 5)
            for word in "isend", "alltoallv", "n(t)", "chosen", "not measured", "rest ms", "same rounds":
                self.assertIn(word, text)
            with open(self.path("rows.json")) as file:
                row = json.load(file)[0]
            for name in "host", "processor", "date":
                self.assertTrue(row[name])
                self.assertIn(html.escape(row[name]), text)
            self.assertNotRegex(text, r"(src|<link[^>]*href)=.?https?:|<script", "the page needs nothing else")
        for name, content in ("no.json", None), ("text.json", "this is none"), ("other.json", "{}"):
            if content is not None:
                with open(self.path(name), "w") as file:
                    file.write(content)
            self.fails(weft("report", self.path(name), "-o", page), 2, "weft report: ", name)

    def test_environment(self):
        traced = {"environment": {"WEFT_TRACE": self.path("all.json")}}
        self.fine(weft("bench", "--shape", "4x4x4", "--strategy", "direct", "--repeat", "1", ranks=2, **traced))
        data, executions = self.trace("all.json")
        self.assertGreater(len(executions), 2 * 2 * 2)
        self.assertEqual([rank["left_out"] for rank in data["weft"]["ranks"]], [0, 0])
        self.fails(weft("plan", "--shape", "4x4x4", ranks=2, environment={"WEFT_TRACE": self.path("no/all.json")}), 2,
                   "weft: rank 0: WEFT_TRACE=", "cannot write")

    def test_transform(self):
        write_npy(self.path("u.npy"), (6, 5, 4), "f8", [math.sin(k) for k in range(120)])
        self.fine(
            weft("transform", self.path("u.npy"), self.path("v.npy"), "--lowpass", "0.5", "--trace",
                 self.path("map.json"), ranks=2))
        self.assertEqual({event["name"] for event in self.trace("map.json")[1]}, {"map"})
        self.fails(
            weft("transform", self.path("u.npy"), self.path("w.npy"), "--forward", "--trace",
                 self.path("no/map.json"), ranks=2), 1, "weft: cannot write")
        self.assertFalse(os.path.exists(self.path("w.npy")))


if __name__ == "__main__":
    main()
