#!/usr/bin/env python3
"""Plans and what is printed of them, lists, help."""
import json
import os

from support import Result, Test, main, weft


class Texts(Test):
    def test_version_and_help(self):
        self.assertRegex(self.fine(weft("--version")).out, r"^weft \d+\.\d+\.\d+ \(.*MPI.*\)\n$")
        self.assertIn("Examples:", self.fine(weft("--help")).out)
        for name in "list", "plan", "bench", "tune", "wisdom", "exchange", "model", "transform", "types":
            self.assertIn(name, self.fine(weft("--help")).out)
            self.assertIn("--help", self.fine(weft(name, "--help")).out)

    def test_once_under_a_launcher(self):
        self.assertEqual(weft("--version", ranks=2).out, weft("--version").out)
        self.assertEqual(self.fine(weft("list", ranks=2)).out, weft("list").out)

    def test_list(self):
        text, table = self.fine(weft("list")).out, self.fine(weft("list", "--markdown")).out
        everything = json.loads(self.fine(weft("list", "--json")).out)
        self.assertGreaterEqual(len(everything["strategies"]), 1)
        self.assertIn("dst2", [entry["name"] for entry in everything["kinds"]])
        for entry in everything["strategies"] + everything["kinds"] + everything["engines"]:
            self.assertIn(entry["summary"], text)
            self.assertIn(f"| `{entry['name']}` | {entry['summary']} |", table)


class Plan(Test):
    def test_plan(self):
        out = self.fine(weft("plan", "--shape", "8x6x4", "--layout", "slab", "--strategy", "isend", ranks=2)).out
        self.assertIn("8x6x4", out)
        self.assertIn("isend", out)
        steps = self.fine(weft("plan", "--shape", "8x6x4", "--steps", ranks=2)).out
        timed = self.fine(weft("plan", "--shape", "8x6x4", "--times", ranks=2)).out
        times = [line for line in timed.splitlines() if " us " in line]
        self.assertGreater(len(times), 4)
        self.assertEqual([line[24:] for line in times], steps.splitlines()[-len(times):])
        self.assertIn("start", steps.replace(self.fine(weft("plan", "--shape", "8x6x4", ranks=2)).out, ""))

    def test_no_memory(self):
        large = [
            "plan", "--shape", "1024x1024x2048", "--strategy", "alltoallv", "--effort", "estimate", "--no-memory"
        ]
        self.assertRegex(self.fine(weft(*large, ranks=2)).out, r"memory of the plan's own on rank 0: [0-9.]+ GiB")
        self.fails(weft(*large, "--times"), 2, "--no-memory", "--times")

    def test_order(self):
        checked = self.fine(weft("plan", "--shape", "8x6x4", "--batch", "3", "--check", ranks=2)).out
        self.assertRegex(checked, r"\norder: [1-9][0-9]* pairs of accesses compared, 0 not ordered\n$")
        alone = self.fine(weft("plan", "--shape", "8x6x4", "--check")).out
        self.assertRegex(alone, r"\norder: [0-9]+ pairs of accesses compared, 0 not ordered\n$")
        self.fails(weft("plan", "--shape", "8x6x4", "--check", "--explain", "--json"), 2, "--check", "--json")
        wrong = Result([
            os.environ["WEFT_TEST_WRONG_ORDER"], "--ranks", "2", "plan", "--shape", "8x6x4", "--strategy",
            "forgetful", "--check"
        ])
        self.assertEqual(wrong.code, 1, wrong)
        self.assertRegex(wrong.out, r"\norder: [0-9]+ pairs of accesses compared, [1-9][0-9]* not ordered\n")
        self.assertRegex(
            wrong.out,
            r"\nrank \d (reads|writes) and rank \d (reads|writes) bytes \d+ to \d+ "
            r"of the memory for exchange 0 of forward on rank \d, in no certain order\n"
            r"    rank \d: stage \d from block 0 on, in execution \d \(forward\)\n")

    def test_what_the_model_says_of_one_exchange(self):
        result = weft("plan", "--shape", "9x6x5", "--effort", "estimate", "--no-wisdom", "--explain", ranks=2)
        self.fine(result)
        self.assertIn("exchange ms", result.out)
        self.assertNotIn("predicted ms", result.out)
        self.assertRegex(result.out, r"alltoall +.* declined: not all pairs")
        self.assertNotIn("; use ", result.out)

    def test_kernels(self):
        words = "plan", "--shape", "4x4x4", "--effort"
        for effort in "estimate", "measure":
            wrong = weft(*words, effort, ranks=2, environment={"WEFT_KERNELS": "mmx"})
            self.fails(wrong, 2, "WEFT_KERNELS=mmx: this build and processor have ",
                       "none; give one of these, or unset it")
        self.fine(weft(*words, "measure", ranks=2, environment={"WEFT_KERNELS": "none"}))


if __name__ == "__main__":
    main()
