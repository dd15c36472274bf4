! The table of cases in Fortran: see README.md.
program driver
  use, intrinsic :: iso_fortran_env, only: int32
  use mpi_f08
  use weft
  implicit none
  integer(c_int64_t) :: sums(4)
  integer :: rank, given, unit, to, failed
  character(len=300) :: line, path
  character(len=50) :: words(6)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, given)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call get_command_argument(1, path)
  open (newunit=unit, file=path, status='old', action='read')
  call get_command_argument(2, path)
  if (rank == 0) open (newunit=to, file=path, status='replace', action='write')
  do
    read (unit, '(a)', iostat=failed) line
    if (failed /= 0) exit
    if (line == '' .or. line(1:1) == '#') cycle
    call split(line, ' ', words)
    call one()
  end do
  close (unit)
  if (rank == 0) close (to)
  call MPI_Finalize()

contains

  ! The words of a text between separators, of which several may follow one another.
  subroutine split(text, separator, words, count)
    character(len=*), intent(in) :: text
    character, intent(in) :: separator
    character(len=*), intent(out) :: words(:)
    integer, intent(out), optional :: count
    integer :: at, found
    logical :: inside
    words = ''
    found = 0
    inside = .false.
    do at = 1, len_trim(text)
      if (text(at:at) == separator) then
        inside = .false.
      else
        if (.not. inside) found = found + 1
        inside = .true.
        words(found) = trim(words(found)) // text(at:at)
      end if
    end do
    if (present(count)) count = found
  end subroutine

  ! The list of a case, which is in C's order, the last one first.
  recursive function turned(list, separator) result(text)
    character(len=*), intent(in) :: list
    character, intent(in) :: separator
    character(len=:), allocatable :: text
    integer :: at
    at = index(list, separator, back=.true.)
    text = list
    if (at > 0) text = list(at + 1:) // separator // turned(list(:at - 1), separator)
  end function

  subroutine one()
    type(weft_plan) :: plan
    type(weft_options) :: options
    character(len=50) :: settings(8), extents(8)
    integer, allocatable :: shape(:)
    integer :: ierr, i, count, equals
    call options%set('effort', 'estimate')
    if (words(5) /= '-') then
      call split(words(5), ';', settings, count)
      do i = 1, count
        equals = index(settings(i), '=')
        call options%set(settings(i)(:equals - 1), settings(i)(equals + 1:))
      end do
    end if
    call split(turned(trim(words(4)), 'x'), 'x', extents, count)
    allocate (shape(count))
    do i = 1, count
      read (extents(i), *) shape(i)
    end do
    call plan%create(MPI_COMM_WORLD, weft_kinds(shape, turned(trim(words(3)), ','), words(2)), options, ierr=ierr)
    if (ierr == WEFT_OK) call run(plan)
    if (rank /= 0) return
    if (ierr /= WEFT_OK) then
      write (to, '(2a)') trim(words(1)), ' declined'
    else
      write (to, '(a, 2(1x, 2z16.16))') trim(words(1)), sums
    end if
  end subroutine

  ! Arrays are lists, as long as memory is; whether they are complex follows from the kinds.
  subroutine run(plan)
    type(weft_plan), intent(in) :: plan
    type(weft_layout) :: in, out
    complex(c_double_complex), allocatable :: z(:), z_hat(:)
    complex(c_float_complex), allocatable :: c(:), c_hat(:)
    real(c_double), allocatable :: x(:), x_hat(:)
    real(c_float), allocatable :: s(:), s_hat(:)
    real(c_double), allocatable :: values(:,:)
    integer(c_int64_t) :: n, m
    logical :: complex_in, complex_out
    call plan%input_layout(in)
    call plan%output_layout(out)
    n = in%elements(rank)
    m = out%elements(rank)
    complex_in = index(words(3), 'c2c') > 0 .and. index(words(3), 'r2c') == 0
    complex_out = index(words(3), 'c2c') > 0 .or. index(words(3), 'r2c') > 0
    allocate (values(2, n))
    values = 0
    call fill(in, values)
    sums = 0
    allocate (z(0), z_hat(0), c(0), c_hat(0), x(0), x_hat(0), s(0), s_hat(0))
    if (words(2) == 'single') then
      if (complex_in) then
        c = cmplx(values(1, :), values(2, :), c_float)
        c_hat = spread((0.0, 0.0), 1, int(m))
        call plan%forward(c, c_hat)
        call add(out, long(transfer(c_hat, [0_int32])), 2, sums(1:2))
        call plan%backward(c_hat, c)
        call add(in, long(transfer(c, [0_int32])), 2, sums(3:4))
      else
        s = real(values(1, :), c_float)
        c_hat = spread((0.0, 0.0), 1, int(m))
        call plan%forward(s, c_hat)
        call add(out, long(transfer(c_hat, [0_int32])), 2, sums(1:2))
        call plan%backward(c_hat, s)
        call add(in, long(transfer(s, [0_int32])), 1, sums(3:4))
      end if
    else if (complex_in) then
      z = cmplx(values(1, :), values(2, :), c_double)
      z_hat = spread((0d0, 0d0), 1, int(m))
      call plan%forward(z, z_hat)
      call add(out, transfer(z_hat, [0_c_int64_t]), 2, sums(1:2))
      call plan%backward(z_hat, z)
      call add(in, transfer(z, [0_c_int64_t]), 2, sums(3:4))
    else if (complex_out) then
      x = values(1, :)
      z_hat = spread((0d0, 0d0), 1, int(m))
      call plan%forward(x, z_hat)
      call add(out, transfer(z_hat, [0_c_int64_t]), 2, sums(1:2))
      call plan%backward(z_hat, x)
      call add(in, transfer(x, [0_c_int64_t]), 1, sums(3:4))
    else
      x = values(1, :)
      x_hat = spread(0d0, 1, int(m))
      call plan%forward(x, x_hat)
      call add(out, transfer(x_hat, [0_c_int64_t]), 1, sums(1:2))
      call plan%backward(x_hat, x)
      call add(in, transfer(x, [0_c_int64_t]), 1, sums(3:4))
    end if
    call MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_INTEGER8, MPI_BXOR, MPI_COMM_WORLD)
  end subroutine

  pure function long(bits) result(words)
    integer(int32), intent(in) :: bits(:)
    integer(c_int64_t) :: words(size(bits))
    words = iand(int(bits, c_int64_t), int(z'FFFFFFFF', c_int64_t))
  end function

  subroutine fill(layout, values)
    type(weft_layout), intent(in) :: layout
    real(c_double), intent(inout) :: values(:,:)
    integer(c_int64_t) :: place, i
    integer, allocatable :: at(:)
    logical :: there
    call first(layout, at, there)
    do while (there)
      call where(layout, at, place, i)
      values(1, place) = real(modulo(37 * i + 11, 101_c_int64_t) - 50, c_double) / 64
      values(2, place) = real(modulo(53 * i + 29, 97_c_int64_t) - 48, c_double) / 64
      call next(layout, at, there)
    end do
  end subroutine

  ! Adds the bits of an array with `parts` words an element to two sums.
  subroutine add(layout, bits, parts, to)
    type(weft_layout), intent(in) :: layout
    integer(c_int64_t), intent(in) :: bits(:)
    integer, intent(in) :: parts
    integer(c_int64_t), intent(inout) :: to(2)
    integer(c_int64_t) :: place, i, word, j
    integer, allocatable :: at(:)
    integer :: p
    logical :: there
    call first(layout, at, there)
    do while (there)
      call where(layout, at, place, i)
      do p = 0, parts - 1
        word = bits((place - 1) * parts + p + 1)
        j = i * parts + p
        to(1) = ieor(to(1), ishftc(word, int(mod(j, 61_c_int64_t))))
        to(2) = ieor(to(2), ishftc(word, int(mod(j / 61, 59_c_int64_t))))
      end do
      call next(layout, at, there)
    end do
  end subroutine

  ! The points of this rank's part, one after the other.
  subroutine first(layout, at, there)
    type(weft_layout), intent(in) :: layout
    integer, allocatable, intent(out) :: at(:)
    logical, intent(out) :: there
    integer, allocatable :: lo(:), hi(:)
    lo = layout%shape()
    hi = lo
    call layout%bounds(rank, lo, hi)
    at = lo
    there = all(hi >= lo)
  end subroutine
  subroutine next(layout, at, there)
    type(weft_layout), intent(in) :: layout
    integer, intent(inout) :: at(:)
    logical, intent(out) :: there
    integer :: lo(size(at)), hi(size(at)), a
    call layout%bounds(rank, lo, hi)
    do a = 1, size(at)
      at(a) = at(a) + 1
      there = at(a) <= hi(a)
      if (there) return
      at(a) = lo(a)
    end do
  end subroutine
  ! Where a point lies in this rank's memory, from 1 on, and its index in the whole array, from 0 on.
  subroutine where(layout, at, place, i)
    type(weft_layout), intent(in) :: layout
    integer, intent(in) :: at(:)
    integer(c_int64_t), intent(out) :: place, i
    integer :: lo(size(at)), hi(size(at)), n(size(at)), a
    integer(c_int64_t) :: strides(size(at))
    call layout%bounds(rank, lo, hi)
    strides = layout%strides(rank)
    n = layout%shape()
    place = 1 + sum((at - lo) * strides)
    i = 0
    do a = size(at), 1, -1
      i = i * n(a) + at(a) - 1
    end do
  end subroutine

end program
