"""fluidfft over FFTW-MPI: its own tests of the plugin, and a decaying Taylor-Green flow in three dimensions; prints
what that has come to."""
import unittest

import numpy as np
from fluiddyn.util import mpi
from fluidfft.fft2d.testing import complete_test_class_2d
from fluidfft.fft3d.operators import OperatorsPseudoSpectral3D
from fluidfft.fft3d.testing import complete_test_class_3d

name = "fft3d.mpi_with_fftwmpi3d"


class Plugin(unittest.TestCase):
    pass


complete_test_class_2d("fft2d.mpi_with_fftwmpi2d", Plugin)
complete_test_class_3d(name, Plugin)
tests = unittest.defaultTestLoader.loadTestsFromTestCase(Plugin)
assert tests.countTestCases() and unittest.TextTestRunner(verbosity=0).run(tests).wasSuccessful()

op = OperatorsPseudoSpectral3D(40, 36, 32, 2 * np.pi, 2 * np.pi, 2 * np.pi, fft=name, coef_dealiasing=2 / 3)
dealiased = op.where_dealiased.astype(bool)
x, y, z = op.get_XYZ_loc()
v = [op.fft(np.ascontiguousarray(f)) for f in (np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z))]
v.append(np.zeros_like(v[0]))


def change(v):
    """Of the velocity's transform, in time: rotation form, no pressure, viscosity 0.02."""
    rotation = [op.ifft(w) for w in op.rotfft_from_vecfft(*v)]
    u = [op.ifft(w) for w in v]
    cross = [u[k - 2] * rotation[k - 1] - u[k - 1] * rotation[k - 2] for k in range(3)]
    forces = [op.fft(np.ascontiguousarray(f)) for f in cross]
    for f in forces:
        f[dealiased] = 0
    op.project_perpk3d(*forces)
    return [f - 0.02 * op.K2 * w for f, w in zip(forces, v)]


for _ in range(40):
    half = [w + 0.025 * d for w, d in zip(v, change(v))]
    v = [w + 0.05 * d for w, d in zip(v, change(half))]
energies = [op.compute_energy_from_K(w) for w in v]
values = np.concatenate([op.ifft(w)[:, ::7, ::5].ravel() for w in v])
slabs = mpi.comm.gather(values) if mpi.nb_proc > 1 else [values]
if mpi.rank == 0:
    print("RESULT", *(f"{e:.15e}" for e in [*energies, *np.concatenate(slabs)[::11]]))
