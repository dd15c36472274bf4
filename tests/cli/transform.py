#!/usr/bin/env python3
"""Transforms of files."""
import math

from support import Test, dft, main, read_npy, weft, write_npy


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


if __name__ == "__main__":
    main()
