! A program in Fortran of another project, which has the installed package and nothing else.
program client
  use mpi_f08
  use weft
  implicit none
  call MPI_Init()
  block
    type(weft_plan) :: fft
    complex(c_double_complex), pointer :: u(:,:,:), u_hat(:,:,:)
    call fft%create(MPI_COMM_WORLD, weft_kinds([4, 4, 4], 'c2c'))
    call fft%input(u)
    call fft%output(u_hat)
    u = 1
    call fft%forward(u, u_hat)
    call fft%backward(u_hat, u)
    if (any(abs(u * fft%scale() - 1) > 1e-14)) error stop 'wrong'
    print '(a)', fft%describe()
  end block
  call MPI_Finalize()
end program
