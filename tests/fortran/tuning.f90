! Tuning and wisdom.
module of_tuning
  use checks
  implicit none
  private
  public :: tuning, wisdoms

contains

  subroutine tuning()
    type(weft_tuning) :: found
    type(weft_options) :: options
    type(weft_plan) :: plan
    type(weft_problem) :: problem
    type(weft_trace) :: trace
    type(weft_wisdom) :: kept
    type(weft_wisdom_entry) :: one
    character(len=:), allocatable :: said, wisdom
    integer :: ierr
    problem = weft_kinds([8, 8, 8], 'c2c', 'single')
    call trace%create(MPI_COMM_WORLD)
    call found%create(MPI_COMM_WORLD, problem, seconds=0.3d0, trace=trace)
    call trace%write('weft_fortran_search.json')
    if (rank == 0) call expect(index(contents('weft_fortran_search.json'), 'forward') > 0, 'a candidate in the trace')
    if (rank == 0) call remove('weft_fortran_search.json')
    call trace%destroy()
    call expect(found%candidates() > 0 .and. found%seconds() > 0, 'candidates that were measured')
    call expect(len(found%reason()) > 0 .and. index(found%describe(json=.true.), '{') == 1, 'a reason, and JSON')
    call expect(index(found%describe(), '{') /= 1, 'text')
    call found%choice(options)
    call expect(ranks == 1 .or. options%get('strategy') /= 'auto', 'a strategy is chosen where there are exchanges')
    call plan%create(MPI_COMM_WORLD, problem, options)
    call found%remember(MPI_COMM_WORLD, problem, said=said)
    call expect(len(said) > 0, 'it is said where it is kept')
    wisdom = weft_export_wisdom()
    call expect(index(wisdom, 'weft_wisdom') > 0, 'wisdom')
    call kept%parse(wisdom)
    if (rank == 0) then
      one = kept%entry(1)
      call expect(one%seconds > 0 .and. one%seconds < 0.3d0, 'what the choice took')
      if (ranks > 1) call expect(index(one%choice, options%get('strategy')) > 0, 'the choice')
    end if
    call weft_forget_wisdom()
    if (rank == 0) call expect(len(weft_export_wisdom()) < len(wisdom), 'it is forgotten')
    call weft_import_wisdom(wisdom)
    call expect(weft_export_wisdom() == wisdom, 'it is as it was')
    call weft_import_wisdom('nonsense', ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'JSON') > 0, 'no wisdom')
    call weft_forget_wisdom()
    call expect(weft_wisdom_files() == '', 'there are no files')
    call found%destroy()
    call found%choice(options, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'tuning is NULL') > 0, 'no tuning')
  end subroutine

  ! Entries are read, looked at, merged, forgotten and written.
  subroutine wisdoms()
    type(weft_wisdom) :: wisdom, other, file, none
    type(weft_wisdom_entry) :: one, two
    type(weft_tuning) :: found
    type(weft_options) :: options
    character(len=:), allocatable :: text, path
    integer :: ierr, n
    call weft_forget_wisdom()
    call options%set('batch', 3)
    do n = 4, 6, 2
      call found%create(MPI_COMM_WORLD, weft_kinds([n, n], 'c2c'), options, seconds=0d0)
      call found%remember(MPI_COMM_WORLD, weft_kinds([n, n], 'c2c'), options)
      if (n == 4) text = weft_export_wisdom()
    end do
    call wisdom%parse(text)
    call other%parse(weft_export_wisdom())
    call weft_forget_wisdom()
    call none%parse(weft_export_wisdom())
    if (rank == 0) then  ! the others need not have any
      call expect(wisdom%entries() == 1 .and. other%entries() == 2, 'entries')
      one = wisdom%entry(1)
      call expect(index(one%problem, '4x4') > 0 .and. one%ranks == ranks .and. len(one%id) > 3, 'an entry')
      call expect(index(one%json, '; batch 3') > 0, 'the key has the options')
      call expect(index(one%json, '{') == 1, 'as JSON')
      call expect(len(one%text) > 10 .and. len(one%date) >= 8 .and. one%version == weft_version(), 'its other texts')
      path = 'weft_fortran_wisdom.json'
      call other%update(path)
      call file%read(path)
      call expect(file%entries() == 2 .and. file%notes() == '', 'the file')
      one = file%entry(1)
      two = file%entry(2)
      call expect(one%id /= two%id .and. one%problem /= two%problem, 'two entries')
      one = wisdom%entry(1)
      call none%update(path, forget=one%id)
      call file%read(path)
      two = file%entry(1)
      call expect(file%entries() == 1 .and. two%id /= one%id, 'one is forgotten in the file')
      call wisdom%update(path)
      call file%read(path)
      call expect(file%entries() == 2, 'and taken over again')
      call expect(file%forget(one%id) == 1 .and. file%entries() == 1, 'one is forgotten')
      call expect(file%forget('no such id') == 0, 'none is forgotten')
      call file%merge(wisdom)
      call other%parse(file%text())
      call expect(file%entries() == 2 .and. other%entries() == 2, 'and merged, and written')
      one = file%entry(3, ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'there are 2') > 0, 'no third entry')
      call remove(path)
      call remove(path // '.lock')
    end if
    call wisdom%parse('nonsense', ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'JSON') > 0, 'no wisdom')
    call expect(wisdom%entries(ierr) == 0 .and. ierr == WEFT_ERROR, 'a handle that was not made')
  end subroutine

end module
