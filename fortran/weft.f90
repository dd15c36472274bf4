! weft in Fortran, over the C interface weft.h: distributed FFTs on MPI.
!
!     use weft
!     type(weft_plan) :: fft
!     real(c_double), pointer :: u(:,:,:)
!     complex(c_double_complex), pointer :: u_hat(:,:,:)
!     call fft%create(MPI_COMM_WORLD, weft_kinds([nx, ny, nz], 'r2c'))
!     call fft%input(u)             ! lbound and ubound are this rank's global indices, from 1 on
!     call fft%output(u_hat)
!     call fft%forward(u, u_hat)
!
! Axes are Fortran's: the first is the fastest. Axis a of n is axis n - a of C and of the texts of options, such as
! "grid". Indices count from 1, ranks from 0. Communicators are integers or, with mpi_f08, of type(MPI_Comm). Every
! procedure that can fail has an optional ierr, 0 or the status of weft.h; without it a failure prints weft_message()
! and stops. What a module has is said in its file; this one only gathers them.
module weft
  use, intrinsic :: iso_c_binding, only: c_float, c_double, c_float_complex, c_double_complex, c_int, c_int64_t
  use weft_base, only: WEFT_OK, WEFT_ERROR, WEFT_DECLINED, WEFT_MAX_AXES, weft_message, weft_version
  use weft_layouts, only: weft_layout
  use weft_settings, only: weft_options
  use weft_problems, only: weft_problem, weft_cutoff, weft_kinds, weft_sphere, weft_kept_box
  use weft_traces, only: weft_trace
  use weft_plans, only: weft_plan, weft_line, weft_map, weft_mode
  use weft_redistributions, only: weft_redistribution
  use weft_halos, only: weft_halo, weft_checkerboard_ghosts
  use weft_long_lines, only: weft_long_line
  use weft_data, only: weft_write, weft_read, weft_inspect
  use weft_tunings, only: weft_tuning
  use weft_wisdoms, only: weft_wisdom, weft_wisdom_entry, weft_export_wisdom, weft_import_wisdom, weft_forget_wisdom, &
    weft_wisdom_files
  implicit none
  public
end module
