! What happens before MPI, after it, and where handles have ended.
module of_ends
  use, intrinsic :: iso_c_binding, only: c_null_ptr
  use checks
  implicit none
  private
  public :: early, ended_handles, late
  type(weft_plan) :: fft
  type(weft_redistribution) :: late_move
  type(weft_halo) :: late_halo

contains

  subroutine early()
    integer :: ierr
    rank = -1
    call fft%create(0, weft_kinds([4, 4], 'c2c'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is not initialised') > 0, 'before MPI_Init')
    call expect(len(weft_version()) > 2, 'a version')
  end subroutine

  ! Handles that have ended, and communicators that are none.
  subroutine ended_handles()
    complex(c_double_complex), pointer :: u(:,:)
    type(weft_layout) :: layout
    type(weft_plan) :: stale
    character(len=:), allocatable :: text
    integer :: ierr
    call fft%create(MPI_COMM_WORLD, weft_kinds([6, 4], 'c2c'))
    stale%handle = fft%handle
    call fft%destroy()
    text = stale%describe(ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'one that has been destroyed') > 0, 'a stale handle')
    stale%handle = c_null_ptr
    call fft%create(123456789, weft_kinds([6, 4], 'c2c'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the communicator is') > 0, 'no communicator')
    call fft%create(MPI_COMM_WORLD, weft_kinds([6, 4], 'c2c'))
    call fft%output(u)
    call layout%slab([6, 4], 2, ranks)
    call late_move%create(MPI_COMM_WORLD, layout, layout, 8)
    call late_halo%create(MPI_COMM_WORLD, layout, 8, [1, 1])
  end subroutine

  ! When MPI has ended.
  subroutine late()
    complex(c_double_complex), pointer :: u(:,:), v(:,:)
    real(c_double) :: list(1000)
    type(weft_plan) :: plan
    integer :: ierr
    call fft%input(u)
    call fft%output(v)
    call fft%forward(u, v, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is already finalised') > 0, 'a plan')
    call late_move%execute(list, list, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is already finalised') > 0, 'a redistribution')
    call late_halo%execute(list, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is already finalised') > 0, 'a halo')
    call plan%create(0, weft_kinds([4, 4], 'c2c'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is already finalised') > 0, 'a new plan')
    call fft%destroy()
  end subroutine

end module
