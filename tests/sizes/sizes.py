#!/usr/bin/env python3
"""Random problems of real size, from what fits a second-level cache to what fits none: kinds, kept spectra, spheres,
batches, layouts, schedules, and three strategies each. `weft bench` verifies them, whose data have known transforms at
any size.

  sizes.py WEFT [COUNT [SEED]]     prints the problems that fail, as commands
"""
import math
import os
import random
import subprocess
import sys
import time

launch = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "launch")
weft = sys.argv[1]
count, first = (int(word) for word in (sys.argv[2:] + ["40", "0"][len(sys.argv) - 2:])[:2])
environment = {**os.environ, "WEFT_WISDOM": "none", "OMP_NUM_THREADS": "1"}

extents = {2: (300, 3000), 3: (40, 300), 4: (12, 70)}
layouts = {1: ("slab", "pencil"), 2: ("slab", "pencil", "2x1"), 3: ("slab", "pencil"), 4: ("slab", "pencil", "2x2")}


def is_smooth(n):
    for prime in (2, 3, 5, 7):
        while n % prime == 0:
            n //= prime
    return n == 1


def extent(draw, least, most):
    """As likely in any octave; mostly a product of small primes."""
    about = int(2**draw.uniform(math.log2(least), math.log2(most)))
    near = [n for n in range(about * 3 // 4, about * 5 // 4) if is_smooth(n)]
    return draw.choice(near) if near and draw.random() < 0.7 else about


def problem(draw, dimensions, most):
    """Words that say what is transformed: at most so many numbers."""
    while True:
        shape = [extent(draw, *extents[dimensions]) for _ in range(dimensions)]
        if math.prod(shape) <= most:
            break
    room = int(most / math.prod(shape))
    kind = draw.choice(["c2c"] * 4 + ["r2c"] * 3 + ["dct2", "dst3", "dct1", "dht"])
    words = ["--kind", kind, "--shape", "x".join(map(str, shape))]
    forms = ["whole", "whole"] + ["axes"] * (kind == "c2c")
    if dimensions == 3:
        forms += {"c2c": ["kept", "boxcut", "sphere"], "r2c": ["kept", "sphere"]}.get(kind, [])
    form = draw.choice(forms)
    if form == "axes":
        axes = draw.sample(range(dimensions), draw.randint(1, dimensions))
        words += ["--axes", ",".join(map(str, sorted(axes)))]
    elif form == "kept":
        words += ["--kept", "x".join(str(int(n * draw.choice((1, 2 / 3, 0.5, 0.4))) - 1 | 1) for n in shape)]
    elif form == "boxcut":
        words += ["--boxcut"]
    elif form == "sphere":
        words += ["--sphere", f"{min(shape) * draw.uniform(0.15, 0.24):.2f}", "--metric", "1,1,1"]
    if room > 1 and draw.random() < 0.3:
        words += ["--batch", str(draw.randint(2, min(16, room)))]
    elif room > 1 and draw.random() < 0.3 and form in ("whole", "axes"):
        words += ["--components", str(draw.randint(2, min(8, room)))]
    return words


def options(draw, ranks, waves, cube, batch):
    """`waves`: a sphere or a kept spectrum. `cube`: all axes of three or more. `batch`: all axes of a batch."""
    layout = draw.choice(layouts[ranks])
    words = ["--grid", layout]
    if draw.random() < 0.3:
        words += ["--precision", "float"]
    elif draw.random() < 0.1:
        words += ["--wire", "single"]
    if draw.random() < 0.3:
        words += ["--placement", draw.choice(("overwrite", ) if waves else ("overwrite", "in_place"))]
    if draw.random() < 0.4 and not waves:
        words += ["--natural-output"]
    if draw.random() < 0.15:
        words += ["--split", "blocks"]
    if draw.random() < 0.4:
        whole = batch or (cube and layout == "slab")  # an axis, before and after an exchange
        words += ["--tiles", draw.choice(("gathered", "kept") if whole else ("gathered", )), "--tile",
                  str(draw.choice((1, 2, 5, 16, 40))), "--window", str(draw.choice((0, 1, 2, 4)))]
    if draw.random() < 0.2:
        words += ["--threads", "2"] + draw.choice(([], ["--communicate", "thread"]))
    words += ["--engine", draw.choice(("weft", "weft", "weft", "fftw"))]
    return words + ["--effort", draw.choice(("estimate", "estimate", "estimate", "measure"))]


listed = subprocess.check_output([weft, "list", "strategies"], text=True, env=environment)
strategies = [line.split()[0] for line in listed.splitlines()[1:] if line and not line[0].isspace()]
assert {"direct", "alltoallv"} <= set(strategies), listed

failed = 0
for seed in range(first, first + count):
    draw = random.Random(seed)
    ranks = draw.choice((1, 2, 2, 3, 3, 4))
    dimensions = draw.choice((2, 3, 3, 3, 4))
    words = problem(draw, dimensions, 2**draw.uniform(17, 24))
    waves = not {"--sphere", "--kept", "--boxcut"}.isdisjoint(words)
    some = "--axes" in words
    words += options(draw, ranks, waves, dimensions > 2 and not waves and not some, "--batch" in words and not some)
    # `direct` is the default, with paths of its own; `alltoallv` takes every problem.
    words += ["--strategy", ",".join(dict.fromkeys(["direct", "alltoallv", draw.choice(strategies)]))]
    command = [weft, "--ranks", str(ranks), "bench", *words, "--no-wisdom", "--repeat", "1"]
    begin = time.time()
    done = subprocess.run([launch, "240", *command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment)
    print(f"{seed}: {time.time() - begin:.1f} s, {' '.join(words)}", flush=True)
    if done.returncode != 0:
        failed += 1
        print(f"FAILED: {' '.join(command)}\n{done.stdout[-3000:]}", flush=True)
print(f"{count} problems, {failed} failed")
sys.exit(failed > 0)
