"""The program weft run as users do: what tests of its commands share. The command line of a test is
NAME.py WEFT MPIEXEC [unittest options]."""
import cmath
import json
import math
import os
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from program import MPIRUN, Result  # noqa: E402, F401

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


class BenchTest(Test):
    def bench(self, *words, ranks=2, code=0, **options):
        result = weft("bench", "--repeat", "2", "--json", self.path("rows.json"), *words, ranks=ranks, seconds=120,
                      **options)
        self.assertEqual(result.code, code, result)
        with open(self.path("rows.json")) as file:
            return result, json.load(file)


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
