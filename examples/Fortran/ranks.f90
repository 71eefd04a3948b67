! SPDX-License-Identifier: BSD-3-Clause
! Ranks write one variable together: each has some rows. mpirun -n 4 ranks_fortran
! mpif90 ranks.f90 -L PREFIX/lib/cellar/netcdf -lnetcdf_mpi. Needs no netcdf-fortran: nc_create_par_fortran takes the
! communicator as Fortran has it, and all other calls are those of C.
program ranks
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none

  integer, parameter :: rows = 32, columns = 256
  integer(c_int), parameter :: NC_NETCDF4 = int(z'1000', c_int), NC_FLOAT = 5, NC_CHUNKED = 0, NC_COLLECTIVE = 1
  real(c_float) :: mine(columns, rows) ! Fortran's first index is C's last
  integer(c_size_t) :: chunks(2) = [rows, columns], start(2) = 0, extent(2) = [rows, columns]
  integer(c_int) :: ncid, dims(2), varid
  integer :: rank, ranks_in_all, x, y, ierr

  interface
    integer(c_int) function nc_create_par_fortran(path, mode, comm, info, ncid) bind(c)
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode, comm, info
      integer(c_int), intent(out) :: ncid
    end function
    integer(c_int) function nc_def_dim(ncid, name, length, dimid) bind(c)
      import :: c_int, c_char, c_size_t
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_int), intent(out) :: dimid
    end function
    integer(c_int) function nc_def_var(ncid, name, xtype, ndims, dimids, varid) bind(c)
      import :: c_int, c_char
      integer(c_int), value :: ncid, xtype, ndims
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(in) :: dimids(*)
      integer(c_int), intent(out) :: varid
    end function
    integer(c_int) function nc_def_var_chunking(ncid, varid, storage, chunks) bind(c)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid, varid, storage
      integer(c_size_t), intent(in) :: chunks(*)
    end function
    integer(c_int) function nc_def_var_deflate(ncid, varid, shuffle, deflate, level) bind(c)
      import :: c_int
      integer(c_int), value :: ncid, varid, shuffle, deflate, level
    end function
    integer(c_int) function nc_enddef(ncid) bind(c)
      import :: c_int
      integer(c_int), value :: ncid
    end function
    integer(c_int) function nc_var_par_access(ncid, varid, access) bind(c)
      import :: c_int
      integer(c_int), value :: ncid, varid, access
    end function
    integer(c_int) function nc_put_vara_float(ncid, varid, start, count, values) bind(c)
      import :: c_int, c_size_t, c_float
      integer(c_int), value :: ncid, varid
      integer(c_size_t), intent(in) :: start(*), count(*)
      real(c_float), intent(in) :: values(*)
    end function
    integer(c_int) function nc_close(ncid) bind(c)
      import :: c_int
      integer(c_int), value :: ncid
    end function
  end interface

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks_in_all, ierr)
  do y = 1, rows
    do x = 1, columns
      mine(x, y) = real(rank * rows + y - 1) + real(x - 1) / columns
    end do
  end do

  call check(nc_create_par_fortran("ranks.nc" // c_null_char, NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, ncid))
  call check(nc_def_dim(ncid, "y" // c_null_char, int(ranks_in_all * rows, c_size_t), dims(1)))
  call check(nc_def_dim(ncid, "x" // c_null_char, int(columns, c_size_t), dims(2)))
  call check(nc_def_var(ncid, "field" // c_null_char, NC_FLOAT, 2, dims, varid))
  call check(nc_def_var_chunking(ncid, varid, NC_CHUNKED, chunks))
  call check(nc_def_var_deflate(ncid, varid, 1, 1, 1))
  call check(nc_enddef(ncid))
  call check(nc_var_par_access(ncid, varid, NC_COLLECTIVE))
  start(1) = rank * rows
  call check(nc_put_vara_float(ncid, varid, start, extent, mine))
  call check(nc_close(ncid))
  if (rank == 0) print '(a, i0, a, i0, a)', "ranks.nc: ", ranks_in_all * rows, " rows of ", ranks_in_all, " ranks"
  call MPI_Finalize(ierr)

contains

  subroutine check(rc)
    integer(c_int), intent(in) :: rc
    integer :: e

    if (rc == 0) return
    print '(a, i0)', "error ", rc
    call MPI_Abort(MPI_COMM_WORLD, 1, e)
  end subroutine
end program
