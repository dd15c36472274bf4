"""The main job's Python side: its input, and the judgement of its output by NumPy's serial transform.

    volume.py read FOLDER             a measured volume -> FOLDER/volume.npy, its extents -> shape.txt
    volume.py judge FOLDER FRACTION   checks lowpass.npy and spectrum.npy there, draws volume.png
    volume.py table JSON ...          the strategies side by side
    volume.py found FOLDER            what the strategies of r2c.json there come to, in one line
    volume.py crystal FOLDER          what silicon.json there says, beside what ABINIT finds; draws silicon.png
"""

import json
import sys
from pathlib import Path

import numpy as np

# Colin Holmes' average of 27 magnetic resonance scans of one head, 1 mm a voxel (Debian:
# mricron-data).
MEASURED = Path("/usr/share/mricron/templates/ch2.nii.gz")
TOLERANCE = 1e-13  # relative, in the 2-norm


def synthetic(shape):
    """Blobs in a ball: something with structure at all scales."""
    random = np.random.default_rng(1)
    axes = [np.linspace(-1, 1, n) for n in shape]
    x, y, z = np.meshgrid(*axes, indexing="ij", sparse=True)
    field = np.zeros(shape)
    for centre, width in zip(random.uniform(-0.5, 0.5, (60, 3)), random.uniform(0.02, 0.2, 60)):
        a, b, c = centre
        field += np.exp(-((x - a)**2 + (y - b)**2 + (z - c)**2) / (2 * width**2))
    return 100 * field * (x**2 + y**2 + z**2 < 0.8)


def read(folder):
    """Fails only where nothing can be written: without the measured volume there is still something to transform."""
    try:
        import nibabel

        volume, what = nibabel.load(MEASURED).get_fdata(dtype=np.float64), f"measured, {MEASURED}"
    except (ImportError, OSError) as error:
        volume, what = synthetic((181, 217, 181)), "SYNTHETIC"
        print(f"no measured volume ({error}): a synthetic field takes its place")
    np.save(folder / "volume.npy", np.ascontiguousarray(volume))
    (folder / "volume.txt").write_text(what + "\n")
    shape = "x".join(map(str, volume.shape))
    (folder / "shape.txt").write_text(shape + "\n")
    print(f"input: {shape}, {what}")


def frequencies(shape):
    """Of every mode of rfftn, an axis at a time: 1 is the highest frequency of that axis."""
    axes = [np.fft.fftfreq(n) * 2 for n in shape[:-1]] + [np.fft.rfftfreq(shape[-1]) * 2]
    return np.meshgrid(*axes, indexing="ij", sparse=True)


def radius(shape):
    return np.sqrt(sum(k**2 for k in frequencies(shape)))


def difference(got, expected):
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return float("nan")
    return np.linalg.norm((got - expected).ravel()) / np.linalg.norm(expected.ravel())


def judge(folder, fraction):
    """An error unless both results are those of NumPy."""
    volume, lowpass, spectrum = (np.load(folder / name) for name in ("volume.npy", "lowpass.npy", "spectrum.npy"))
    serial = np.fft.rfftn(volume)
    passed = np.where(radius(volume.shape) <= fraction, serial, 0)
    errors = {
        "spectrum": difference(spectrum, serial),
        "low-pass": difference(lowpass, np.fft.irfftn(passed, volume.shape, axes=(0, 1, 2))),
    }
    right = True
    for name, error in errors.items():
        right = right and error <= TOLERANCE
        print(f"{name:9} against numpy.fft: relative error {error:.1e} {'fine' if error <= TOLERANCE else 'WRONG'}")
    draw(folder, volume, lowpass, spectrum, fraction)
    print(f"picture: {(folder / 'volume.png').resolve()}")
    if not right:
        sys.exit("volume.py: weft and numpy.fft differ")


def radial_power(spectrum, shape):
    """Mean power over shells of the radius, zero frequency apart; every mode of half a spectrum counts alike."""
    r = radius(shape)
    edges = np.linspace(0, 1, 91)
    inside = (r > 0) & (r < 1)
    shell = np.digitize(r[inside], edges) - 1
    modes = np.bincount(shell, minlength=90)
    power = np.bincount(shell, np.abs(spectrum[inside])**2, minlength=90)
    filled = modes > 0
    return ((edges[1:] + edges[:-1]) / 2)[filled], power[filled] / modes[filled]


INK, QUIET, ACCENT = "#1d2a33", "#8a97a0", "#c8553d"


def plotter():
    """Of pictures in files, in the colours above."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update({
        "font.family": "DejaVu Sans", "font.size": 11, "text.color": INK, "axes.labelcolor": INK,
        "axes.edgecolor": QUIET, "xtick.color": QUIET, "ytick.color": QUIET, "xtick.labelcolor": INK,
        "ytick.labelcolor": INK
    })
    return pyplot


def draw(folder, volume, lowpass, spectrum, fraction):
    pyplot = plotter()
    figure = pyplot.figure(figsize=(14, 4.6), layout="constrained")
    before, after, power = figure.subplots(1, 3, gridspec_kw={"width_ratios": (1, 1, 1.05)})
    middle = volume.shape[0] // 2
    # One scale of grey for both, so that what is gone is what was filtered; some overshoot is
    # clipped.
    scale = {
        "cmap": "gray", "vmin": 0, "vmax": np.percentile(volume[middle], 99.8), "origin": "lower",
        "interpolation": "lanczos"
    }
    for axes, array, title in ((before, volume, "input"), (after, lowpass, f"low-pass, radius {fraction:g}")):
        axes.imshow(array[middle].T, **scale)
        axes.set_title(title, loc="left", fontweight="bold")
        axes.set_axis_off()
        axes.set_anchor("N")

    k, mean = radial_power(spectrum, volume.shape)
    power.fill_between(k[k <= fraction], mean[k <= fraction], mean.min() / 3, color=ACCENT, alpha=0.15, linewidth=0)
    power.semilogy(k, mean, color=INK, linewidth=1.8)
    power.axvline(fraction, color=ACCENT, linewidth=1.2)
    note = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "color": ACCENT, "va": "top"}
    power.annotate("\u2190 passes", (fraction, 0.96), xytext=(7, 0), **note)
    power.set_xlim(0, 1)
    power.set_ylim(mean.min() / 3, mean.max() * 4)
    power.set_xlabel("radial frequency (1: the highest of an axis)")
    power.set_title("power spectrum, mean over shells", loc="left", fontweight="bold")
    power.grid(axis="y", color=QUIET, alpha=0.2)
    power.spines[["top", "right"]].set_visible(False)

    what = (folder / "volume.txt").read_text().strip()
    figure.suptitle(f"{' × '.join(map(str, volume.shape))} voxels ({what}), transformed by weft", x=0.004, ha="left",
                    fontsize=10, color=QUIET)
    figure.savefig(folder / "volume.png", dpi=110)


def table(files):
    """An error unless some strategy ran, and all that ran were right."""
    rows = [row for file in files for row in json.loads(Path(file).read_text())]
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    by_strategy = {}
    for row in rows:
        by_strategy.setdefault(row["strategy"], {})[row["kind"]] = row
    right = bool(rows)
    print(
        f"\nforward and backward, milliseconds (median of the slowest rank) and relative error; "
        f"{rows[0]['ranks']} ranks")
    print(f"{'strategy':18}" + "".join(f"{kind:>10}{'exchange':>10}{'error':>10}" for kind in kinds))
    for strategy, kind_rows in by_strategy.items():
        line = f"{strategy:18}"
        for kind in kinds:
            row = kind_rows.get(kind, {"declined": "not run"})
            if row.get("median_seconds") is None:
                right = right and "error" not in row
                line += f"{'error' if 'error' in row else 'declined':>10}{'':>20}"
                continue
            right = right and row["relative_error"] <= row.get("tolerance", TOLERANCE)
            line += f"{1e3 * row['median_seconds']:10.1f}{1e3 * row['exchange_seconds']:10.1f}"
            line += f"{row['relative_error']:10.1e}"
        print(line)
    ran = {kind: [row for row in rows if row["kind"] == kind and row["median_seconds"] is not None] for kind in kinds}
    for kind, some in ran.items():
        right = right and bool(some)
        if some:
            best = min(some, key=lambda row: row["median_seconds"])
            print(f"fastest {kind}: {best['strategy']}, {best['gflop_per_second']:.2f} GFlop/s")
    if not right:
        sys.exit("volume.py: some strategy is wrong, or none ran")


def found(folder):
    rows = [row for row in json.loads((folder / "r2c.json").read_text()) if row.get("median_seconds") is not None]
    rows.sort(key=lambda row: row["median_seconds"])
    best, worst = rows[0], rows[-1]
    shape, ranks = (folder / "shape.txt").read_text().strip(), best["ranks"]
    print(
        f"found: r2c {shape} on {ranks} ranks, there and back: {best['strategy']} is the fastest "
        f"of {len(rows)} strategies, {1e3 * best['median_seconds']:.1f} ms; {worst['strategy']} takes "
        f"{worst['median_seconds'] / best['median_seconds']:.1f} "
        "times that; all agree with NumPy")


def crystal(folder):
    """Fails where the total energy is not the one that ABINIT finds for the same input (docs/reproductions)."""
    done = json.loads((folder / "silicon.json").read_text())
    total, path = done["energy_ha"]["total"], done["path"]
    print(f"silicon: total energy {total:.6f} Ha (ABINIT -7.911818), gap {path['gap_ev']:.3f} eV along the path, "
          f"{done['seconds']['wall']:.1f} s on {done['ranks']} ranks")
    draw_crystal(folder, done)
    print(f"picture: {(folder / 'silicon.png').resolve()}")
    if abs(total + 7.911817522631488) > 1e-5:
        sys.exit("the total energy of silicon is wrong")


def draw_crystal(folder, done):
    """Energies along the path, above the valence top, and the density in a plane of bonds."""
    pyplot, path, plane = plotter(), done["path"], done["density_slice"]
    figure, (bands, density) = pyplot.subplots(1, 2, figsize=(14, 4.6), layout="constrained",
                                               gridspec_kw={"width_ratios": (1.2, 1)})
    along = [point["distance_per_bohr"] for point in path["kpoints"]]
    for band in zip(*(point["energies_ev"] for point in path["kpoints"])):
        bands.plot(along, np.array(band) - path["valence_top_ev"], color=INK, linewidth=1.8)
    corners = [(at, point["label"]) for at, point in zip(along, path["kpoints"]) if point["label"]]
    bands.set_xticks([at for at, _ in corners], ["\u0393" if label == "Gamma" else label for _, label in corners])
    for at, _ in corners:
        bands.axvline(at, color=QUIET, linewidth=0.7)
    bands.axhspan(0, path["gap_ev"], color=ACCENT, alpha=0.15, linewidth=0)
    bands.annotate(f"gap {path['gap_ev']:.2f} eV", (along[-1], path["gap_ev"] / 2), xytext=(6, 0), color=ACCENT,
                   textcoords="offset points", va="center", annotation_clip=False)
    bands.set_xlim(along[0], along[-1])
    bands.set_ylabel("eV above the valence top")
    bands.set_title("bands", loc="left", fontweight="bold")

    sides, values = np.array(plane["sides_bohr"]), np.array(plane["electrons_per_bohr3"])
    values = np.pad(np.tile(values, (2, 2)), ((0, 1), (0, 1)), mode="wrap")  # two cells a side, and where they end
    i, k = np.meshgrid(*(2 * np.arange(n) / (n - 1) for n in values.shape), indexing="ij")
    x, y = (i * sides[0, a] + k * sides[1, a] for a in range(2))
    drawn = density.contourf(x, y, values, levels=24, cmap="viridis")
    density.plot(*np.array(plane["atoms_bohr"]).T, "o", color="white", markeredgecolor=INK, markersize=5)
    density.set_aspect("equal")
    density.set_xlabel("bohr")
    density.set_title(f"density, plane of {plane['plane']}", loc="left", fontweight="bold")
    figure.colorbar(drawn, ax=density, shrink=0.7, label="electrons / bohr\u00b3")
    figure.suptitle(f"{done['title']}: {done['energy_ha']['total']:.6f} Ha, by weft", x=0.004, ha="left", fontsize=10,
                    color=QUIET)
    figure.savefig(folder / "silicon.png", dpi=110)


def main(command="", *words):
    if command == "read" and len(words) == 1:
        read(Path(words[0]))
    elif command == "judge" and len(words) == 2:
        judge(Path(words[0]), float(words[1]))
    elif command == "found" and len(words) == 1:
        found(Path(words[0]))
    elif command == "crystal" and len(words) == 1:
        crystal(Path(words[0]))
    elif command == "table" and words:
        table(words)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
