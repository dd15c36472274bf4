! Calls the Fortran module on any number of ranks.
program all_of_it
  use checks
  use of_plans
  use of_maps
  use of_waves
  use of_layouts
  use of_redistributions
  use of_halos
  use of_lines
  use of_tuning
  use of_ends
  implicit none
  call early()
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call complex_wave()
  call kinds_by_axis()
  call padded_in_place()
  call some_axes()
  call batches()
  call arrays_of_the_caller()
  call copies()
  call errors()
  call maps()
  call modes()
  call memory()
  call spheres()
  call kept_boxes()
  call layouts()
  call redistributions()
  call files()
  call halos()
  call lists()
  call long_lines()
  call tuning()
  call wisdoms()
  call ended_handles()
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(i0, a, i0, a)', wrong, ' failures on ', ranks, ' ranks'
  call MPI_Finalize()
  call late()
  if (wrong /= 0) error stop 1
end program
