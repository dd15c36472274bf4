"""Forced shear flow between periodic walls and Chebyshev points, advanced by Dedalus; prints what it has come to."""
import numpy as np
import dedalus.public as d3

coords = d3.CartesianCoordinates("x", "z")
dist = d3.Distributor(coords, dtype=np.float64)
x_basis = d3.RealFourier(coords["x"], size=64, bounds=(0, 4), dealias=3 / 2)
z_basis = d3.ChebyshevT(coords["z"], size=32, bounds=(0, 1), dealias=3 / 2)
b = dist.Field(name="b", bases=(x_basis, z_basis))
tau_1 = dist.Field(name="tau_1", bases=x_basis)
tau_2 = dist.Field(name="tau_2", bases=x_basis)
u = dist.VectorField(coords, name="u", bases=(x_basis, z_basis))
x, z = dist.local_grids(x_basis, z_basis)
_, e_z = coords.unit_vector_fields(dist)
lift = lambda a: d3.Lift(a, z_basis.derivative_basis(1), -1)
grad_b = d3.grad(b) + e_z * lift(tau_1)
u["g"][0] = np.sin(np.pi * z) * np.cos(np.pi * x / 2)
u["g"][1] = np.cos(np.pi * z) * np.sin(np.pi * x / 2)
b["g"] = 1 - z + 0.1 * np.sin(np.pi * z) * np.cos(3 * np.pi * x / 2)
problem = d3.IVP([b, tau_1, tau_2], namespace=locals())
problem.add_equation("dt(b) - 0.01*div(grad_b) + lift(tau_2) = - u@grad(b)")
problem.add_equation("b(z=0) = 1")
problem.add_equation("b(z=1) = 0")
solver = problem.build_solver(d3.RK222)
for _ in range(200):
    solver.step(0.005)
b.change_scales(1)
whole = b.allgather_data("g")
if dist.comm.rank == 0:
    print("RESULT", *(f"{v:.15e}" for v in whole[::7, ::5].ravel()))
