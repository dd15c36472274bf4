/* PETSc's MATFFTW: the spectrum of three waves, and back. Where arrays are others than those that
   were planned, PETSc executes its plans of MPI transforms by FFTW's serial entry. FFTW alone
   crashes there: petsc planned  leaves it out. */
#include <petscmat.h>

int main(int argc, char** argv) {
  PetscInt extents[3] = {24, 20, 18}, low, high, i, second;
  PetscReal spectrum_error, back_error;
  Mat fft;
  Vec in, out, back, in2, out2, back2;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(MatCreateFFT(PETSC_COMM_WORLD, 3, extents, MATFFTW, &fft));
  PetscCall(MatCreateVecsFFTW(fft, &in, &out, &back));
  PetscCall(MatCreateVecsFFTW(fft, &in2, &out2, &back2));
  for (second = 0; second < (argc > 1 ? 1 : 2); ++second) { /* the second time with other arrays */
    Vec x = second ? in2 : in, y = second ? out2 : out, z = second ? back2 : back;
    const PetscInt size = extents[0] * extents[1] * extents[2];
    PetscCall(VecGetOwnershipRange(x, &low, &high));
    for (i = low; i < high; ++i) { /* 1 + 2 of mode (3, 5, 7) + 0.5 i of mode (23, 0, 1) */
      const PetscReal a = (PetscReal)(i / 360) / 24, b = (PetscReal)(i / 18 % 20) / 20, c = (PetscReal)(i % 18) / 18;
      const PetscScalar wave = 1 + 2 * PetscExpComplex(2 * PETSC_PI * PETSC_i * (3 * a + 5 * b + 7 * c)) +
                               0.5 * PETSC_i * PetscExpComplex(2 * PETSC_PI * PETSC_i * (23 * a + c));
      PetscCall(VecSetValue(x, i, wave, INSERT_VALUES));
    }
    PetscCall(VecAssemblyBegin(x));
    PetscCall(VecAssemblyEnd(x));
    PetscCall(MatMult(fft, x, y));
    PetscCall(MatMultTranspose(fft, y, z));
    PetscCall(VecAXPY(z, -(PetscScalar)size, x));
    PetscCall(VecNorm(z, NORM_INFINITY, &back_error));
    PetscCall(VecGetOwnershipRange(y, &low, &high));
    if (low <= 0 && 0 < high) PetscCall(VecSetValue(y, 0, -(PetscScalar)size, ADD_VALUES));
    i = (3 * 20 + 5) * 18 + 7;
    if (low <= i && i < high) PetscCall(VecSetValue(y, i, -2 * (PetscScalar)size, ADD_VALUES));
    i = 23 * 360 + 1;
    if (low <= i && i < high) PetscCall(VecSetValue(y, i, -0.5 * PETSC_i * (PetscScalar)size, ADD_VALUES));
    PetscCall(VecAssemblyBegin(y));
    PetscCall(VecAssemblyEnd(y));
    PetscCall(VecNorm(y, NORM_INFINITY, &spectrum_error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "RESULT %s arrays: spectrum %s, back %s\n",
                          second ? "other" : "the planned", spectrum_error < 1e-10 * size ? "right" : "wrong",
                          back_error < 1e-10 * size ? "right" : "wrong"));
  }
  PetscCall(VecDestroy(&in));
  PetscCall(VecDestroy(&out));
  PetscCall(VecDestroy(&back));
  PetscCall(VecDestroy(&in2));
  PetscCall(VecDestroy(&out2));
  PetscCall(VecDestroy(&back2));
  PetscCall(MatDestroy(&fft));
  PetscCall(PetscFinalize());
  return 0;
}
