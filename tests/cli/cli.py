#!/usr/bin/env python3
"""Runs the program weft as users do, and wrongly, as users do: cli.py WEFT MPIEXEC [unittest options]."""
import cmath
import html
import json
import math
import os
import resource
import shutil
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import Result  # noqa: E402
from wrong import command_lines  # noqa: E402

WEFT, MPIEXEC = (os.path.abspath(word) if os.path.exists(word) else word for word in sys.argv[1:3])
SIZES = {"f4": 4, "f8": 8, "c8": 8, "c16": 16, "i2": 2, "u1": 1}


def weft(*words, ranks=0, **options):
    return Result([WEFT] + (["--ranks", str(ranks)] if ranks else []) + list(words), **options)


def write_npy(path, shape, kind, values=None):
    kind_text = f"{'|' if kind == 'u1' else '<'}{kind[0]}{SIZES[kind]}"
    header = f"{{'descr': '{kind_text}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        if values is None:
            file.truncate(file.tell() + SIZES[kind] * math.prod(shape))
        elif kind[0] == "c":
            file.write(
                struct.pack(f"<{2 * len(values)}{'f' if kind == 'c8' else 'd'}",
                            *(part for v in values for part in (v.real, v.imag))))
        else:
            file.write(struct.pack(f"<{len(values)}{'f' if kind == 'f4' else 'd'}", *values))


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:end])
    kind = header["descr"][1:]
    numbers = struct.unpack(
        f"<{(len(data) - end) // (4 if kind in ('f4', 'c8') else 8)}{'f' if kind in ('f4', 'c8') else 'd'}",
        data[end:])
    return header["shape"], kind, [complex(*pair)
                                   for pair in zip(numbers[::2], numbers[1::2])] if kind[0] == "c" else list(numbers)


def dft(shape, values):
    """The definition, axis by axis."""
    values = [complex(v) for v in values]
    for axis, n in enumerate(shape):
        stride = math.prod(shape[axis + 1:])
        lines = list(values)
        for at in range(len(values)):
            i, base = at // stride % n, at - at // stride % n * stride
            values[at] = sum(lines[base + k * stride] * cmath.exp(-2j * cmath.pi * i * k / n) for k in range(n))
    return values


class Test(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def fine(self, result):
        self.assertEqual(result.code, 0, result)
        return result

    def fails(self, result, code, *texts, seconds=20):
        """One clear message: all texts, each once."""
        self.assertEqual(result.code, code, result)
        self.assertLess(result.seconds, seconds, result)
        for text in texts:
            self.assertEqual(result.err.count(text), 1, f"wanted once: {text}\n{result}")
        return result


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


class Bench(Test):
    def bench(self, *words, ranks=2, code=0, **options):
        result = weft("bench", "--repeat", "2", "--json", self.path("rows.json"), *words, ranks=ranks, seconds=120,
                      **options)
        self.assertEqual(result.code, code, result)
        with open(self.path("rows.json")) as file:
            return result, json.load(file)

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
            _, rows = self.bench("--shape", "8x9x10", *words)
            self.assertTrue(all(row["relative_error"] <= row["tolerance"] for row in rows if "declined" not in row),
                            rows)
            self.assertGreater(len([row for row in rows if "declined" not in row]), 3)
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

    def test_options(self):
        """Every row of the table is an option of the command line, printed by plans, and a member of JSON."""
        rows = json.loads(self.fine(weft("list", "options", "--json")).out)
        self.assertEqual(json.loads(self.fine(weft("list", "--json")).out)["options"], rows)
        text, table = self.fine(weft("list", "options")).out, self.fine(weft("list", "options", "--markdown")).out
        usage = self.fine(weft("plan", "--help")).out
        given = {"strategy": "isend", "communicate": "thread", "nodes": "0", "grid": "1", "groups": "2"}
        for row in rows:
            name, flag = row["name"], "--" + row["name"].replace("_", "-")
            self.assertIn(row["help"], text)
            self.assertIn(f"| `{name}` | {row['type']} | {row['changes']} |", table)
            if row["type"] == "layout":
                continue
            if row["type"] == "boolean":
                words = ["--no" + flag[1:] if row["default"] else flag]
                value = "false" if row["default"] else "true"
            else:
                others = [word for word in row["words"] if word not in (row["default"], "auto", "default")]
                value = given.get(name) or (others[-1] if row["type"] == "text" else "3")
                words = [flag, value]
            more = {"communicate": ["--threads", "2"], "groups": ["--sphere", "2", "--batch", "2"]}.get(name, [])
            with self.subTest(name=name):
                self.assertIn(words[0], usage)
                effort = [] if name == "effort" else ["--effort", "estimate"]
                ranks = 2 if name == "groups" else 0
                out = self.fine(weft("plan", "--shape", "8x6x5", *words, *more, *effort, ranks=ranks)).out
                asked = next((line for line in out.splitlines() if line.startswith("asked for: ")), "")
                if value != row["default"] and value != str(row["default"]):
                    self.assertIn(f" {name} {value}", asked)
        _, benched = self.bench("--strategy", "isend", "--shape", "8x6x4", "--test", "4", "--in-place")
        for what in "requested", "effective":
            self.assertEqual(list(benched[0][what]), [row["name"] for row in rows])
        names = "tiles", "test", "placement", "threads", "wisdom", "grid"
        self.assertEqual([benched[0]["requested"][name] for name in names],
                         ["auto", 4, "in_place", 1, True, "default"])
        self.assertEqual(benched[0]["effective"]["tiles"], "one")

    def test_sweep_of_any_option_of_speed(self):
        result, rows = self.bench("--strategy", "isend", "--shape", "8x6x4", "--sweep", "threads=1,2", "--sweep",
                                  "effort=estimate")
        self.assertEqual([row["requested"]["threads"] for row in rows], [1, 2])
        self.assertIn("threads 2", result.out)
        self.assertIn("changes only speed",
                      self.fails(weft("bench", "--sweep", "batch=1,2", ranks=2), 2, "weft: ").err)

    def test_sweep(self):
        result, rows = self.bench("--strategy", "isend,direct", "--shape", "8x8x8", "--sweep", "tiles=one,gathered",
                                  "--sweep", "tile=1,2", "--sweep", "window=1,0", "--sweep",
                                  "communicate=caller,thread")
        self.assertEqual(len(rows), 2 * (1 + 2 * 2) * 2, result)  # one tile has no size and no window
        self.assertEqual(len({json.dumps(row["requested"]) for row in rows}), len(rows))
        self.assertEqual({row["requested"]["threads"]
                          for row in rows if row["requested"]["communicate"] == "thread"}, {2})
        self.assertIn("isend: gathered axis, 2 planes a tile, all on their way, exchanges on a thread", result.out)
        for words in ["tile"], ["tile=1x"], ["tile="], ["colour=blue"]:
            self.assertIn("--sweep", self.fails(weft("bench", "--sweep", *words, ranks=2), 2, "weft: ").err)

    def test_messages_and_bytes(self):
        rows = self.bench("--strategy", "isend", "--shape", "8x8x8")[1]
        self.assertEqual([rows[0][key] for key in ("calls", "messages", "bytes_sent")], [4, 2, 2 * 8 * 4 * 4 * 16])

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
        for kind in "f4", "f8":
            write_npy(self.path("u.npy"), (7, 6, 5), kind, values)
            for transform in "r2c", "c2c", "dct2":
                result, rows = self.bench("--input", self.path("u.npy"), "--kind", transform, "--strategy",
                                          "alltoallv,isend")
                self.assertEqual((rows[0]["shape"], rows[0]["precision"]),
                                 ([7, 6, 5], "single" if kind == "f4" else "double"))
                self.assertIn("a serial transform", rows[0]["reference"])

    def test_log_has_plain_lines(self):
        self.assertNotIn("\x1b", self.bench("--shape", "4x4x4")[0].err)
        result = weft("bench", "--shape", "4x4x4",
                      environment={"WEFT_TERMINAL": "1",
                                   "OMPI_MCA_ess_singleton_isolated": "0"})  # once as users have it
        self.assertIn("\x1b", result.err)


class Transform(Test):
    shape = (4, 3, 5)
    real = [math.cos(i * i) for i in range(60)]

    def close(self, a, b, within=1e-13):
        self.assertEqual(len(a), len(b))
        self.assertLess(max(abs(x - y) for x, y in zip(a, b)), within)

    def test_real(self):
        for kind, precise in ("f4", 1e-5), ("f8", 1e-13):
            write_npy(self.path("u.npy"), self.shape, kind, self.real)
            self.fine(weft("transform", self.path("u.npy"), self.path("hat.npy"), "--forward", ranks=2))
            shape, spectrum_kind, spectrum = read_npy(self.path("hat.npy"))
            self.assertEqual((shape, spectrum_kind), ((4, 3, 3), {"f4": "c8", "f8": "c16"}[kind]))
            self.close(spectrum, [v for i, v in enumerate(dft(self.shape, self.real)) if i % 5 < 3], precise)
            self.fine(
                weft("transform", self.path("hat.npy"), self.path("back.npy"), "--backward", "--real-last", "5",
                     ranks=3))
            shape, back_kind, back = read_npy(self.path("back.npy"))
            self.assertEqual((shape, back_kind), (self.shape, kind))
            self.close(back, self.real, precise)

    def test_complex(self):
        values = [complex(v, i) for i, v in enumerate(self.real)]
        write_npy(self.path("u.npy"), self.shape, "c16", values)
        self.fine(
            weft("transform", self.path("u.npy"), self.path("hat.npy"), "--forward", "--layout", "2x1", "--strategy",
                 "isend", ranks=2))
        self.close(read_npy(self.path("hat.npy"))[2], dft(self.shape, values), 1e-10)
        self.fine(
            weft("transform", self.path("hat.npy"), self.path("back.npy"), "--backward", "--layout", "pencil",
                 ranks=2))
        self.close(read_npy(self.path("back.npy"))[2], values, 1e-12)

    def test_lowpass(self):
        write_npy(self.path("u.npy"), self.shape, "f8", self.real)
        filtered = {}
        for fraction in "2", "0", "0.6":
            self.fine(weft("transform", self.path("u.npy"), self.path("low.npy"), "--lowpass", fraction, ranks=2))
            filtered[fraction] = read_npy(self.path("low.npy"))[2]
        self.close(filtered["2"], self.real)
        self.close(filtered["0"], [sum(self.real) / 60] * 60)
        spectrum = dft(self.shape, filtered["0.6"])
        wanted = dft(self.shape, self.real)
        for i in range(60):
            k = i // 15, i // 5 % 3, i % 5
            radius = math.sqrt(sum((min(k[a], n - k[a]) / (n / 2))**2 for a, n in enumerate(self.shape)))
            self.assertAlmostEqual(spectrum[i], wanted[i] if radius <= 0.6 else 0)


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


class Wrong(Test):
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
        environment = {
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"
        }
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
    unittest.main(argv=["cli.py"] + sys.argv[3:])
