#!/usr/bin/env python3
"""count.py PROGRAM SET [QEMU -L SYSROOT]: instructions that lines take, by the kernels of SET and by FFTW.

PROGRAM is weft_lines. Instructions are counted by valgrind, or, where an emulator is named, by its log of every
instruction. Prints a table in Markdown: instructions of the kernels, of FFTW, and the ratio.
"""
import re
import subprocess
import sys

lengths = (8, 16, 32, 64, 96, 128, 256)
forms = (("c2c", "rows"), ("c2c", "columns"), ("r2c", "rows"), ("c2r", "rows"))


def instructions(program, emulator, words):
    if emulator:
        log = subprocess.Popen([*emulator, "-singlestep", "-d", "exec,nochain", "-D", "/dev/stdout", program, *words],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        count = sum(block.count(b"\n") for block in iter(lambda: log.stdout.read(1 << 20), b""))
        if log.wait():
            raise SystemExit(f"count.py: {' '.join(words)} failed")
        return count
    told = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program, *words],
        capture_output=True, text=True, check=True).stderr
    return int(re.search(r"I +refs: +([\d,]+)", told)[1].replace(",", ""))


def a_line(program, emulator, *words):
    """Of one line: the difference of two runs, which start and plan alike, by 8 lines and 4 times."""
    return (instructions(program, emulator, [*words, "6"]) - instructions(program, emulator, [*words, "2"])) / 32


def main():
    program, kernels, *emulator = sys.argv[1:]
    print("| a line of | " + " | ".join(str(n) for n in lengths) + " |")
    print("|---" * (len(lengths) + 1) + "|")
    for precision in ("double", "float"):
        for kind, form in forms:
            row = []
            for n in lengths:
                own, other = (a_line(program, emulator, who, kind, precision, str(n), form)
                              for who in (kernels, "fftw"))
                row.append(f"{own:.0f} / {other:.0f} = {own / other:.2f}")
            print(f"| {kind}, {precision}, {form} | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
