! SPDX-License-Identifier: BSD-3-Clause
! What Fortran programs call of Cellar: datasets with filter chains, threads, the text of errors. Ids, counts and the order of
! dimensions are C's: ids from 0, the dimension that varies fastest last, so an array a(nx, ny) has the dimensions (y, x).
module cellar
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: cel_create, cel_open, cel_close, cel_def_dim, cel_def_var, cel_find_var
    public :: cel_put_float, cel_put_double, cel_put_int, cel_get_float, cel_get_double, cel_get_int
    public :: cel_def_chain, cel_chain, cel_set_threads, cel_get_threads, cel_error, cel_version
    integer, parameter, public :: cel_netcdf4 = int(z'1000'), cel_nowrite = 0, cel_write = 1
    integer, parameter, public :: cel_int = 4, cel_float = 5, cel_double = 6

    interface
        function c_create(path, mode, id) bind(c, name='cel_nc_create')
            import; character(kind=c_char), intent(in) :: path(*); integer(c_int), value :: mode
            integer(c_int), intent(out) :: id; integer(c_int) :: c_create
        end function
        function c_open(path, mode, id) bind(c, name='cel_nc_open')
            import; character(kind=c_char), intent(in) :: path(*); integer(c_int), value :: mode
            integer(c_int), intent(out) :: id; integer(c_int) :: c_open
        end function
        function cel_close(id) bind(c, name='cel_nc_close')
            import; integer(c_int), value :: id; integer(c_int) :: cel_close
        end function
        function c_def_dim(id, name, length, dim) bind(c, name='cel_nc_def_dim')
            import; integer(c_int), value :: id; character(kind=c_char), intent(in) :: name(*)
            integer(c_size_t), value :: length; integer(c_int), intent(out) :: dim; integer(c_int) :: c_def_dim
        end function
        function c_def_var(id, name, xtype, rank, dims, var) bind(c, name='cel_nc_def_var')
            import; integer(c_int), value :: id, xtype, rank; character(kind=c_char), intent(in) :: name(*)
            integer(c_int), intent(in) :: dims(*); integer(c_int), intent(out) :: var; integer(c_int) :: c_def_var
        end function
        function c_inq_varid(id, name, var) bind(c, name='cel_nc_inq_varid')
            import; integer(c_int), value :: id; character(kind=c_char), intent(in) :: name(*)
            integer(c_int), intent(out) :: var; integer(c_int) :: c_inq_varid
        end function
        function cel_put_float(id, var, values) bind(c, name='cel_nc_put_var_float')
            import; integer(c_int), value :: id, var; real(c_float), intent(in) :: values(*); integer(c_int) :: cel_put_float
        end function
        function cel_put_double(id, var, values) bind(c, name='cel_nc_put_var_double')
            import; integer(c_int), value :: id, var; real(c_double), intent(in) :: values(*); integer(c_int) :: cel_put_double
        end function
        function cel_put_int(id, var, values) bind(c, name='cel_nc_put_var_int')
            import; integer(c_int), value :: id, var; integer(c_int), intent(in) :: values(*); integer(c_int) :: cel_put_int
        end function
        function cel_get_float(id, var, values) bind(c, name='cel_nc_get_var_float')
            import; integer(c_int), value :: id, var; real(c_float), intent(out) :: values(*); integer(c_int) :: cel_get_float
        end function
        function cel_get_double(id, var, values) bind(c, name='cel_nc_get_var_double')
            import; integer(c_int), value :: id, var; real(c_double), intent(out) :: values(*); integer(c_int) :: cel_get_double
        end function
        function cel_get_int(id, var, values) bind(c, name='cel_nc_get_var_int')
            import; integer(c_int), value :: id, var; integer(c_int), intent(out) :: values(*); integer(c_int) :: cel_get_int
        end function
        function c_def_chain(id, var, text) bind(c, name='cellar_def_var_chain')
            import; integer(c_int), value :: id, var; character(kind=c_char), intent(in) :: text(*); integer(c_int) :: c_def_chain
        end function
        function c_inq_chain(id, var, spelling, text) bind(c, name='cellar_inq_var_chain')
            import; integer(c_int), value :: id, var, spelling; type(c_ptr), intent(out) :: text; integer(c_int) :: c_inq_chain
        end function
        function cel_set_threads(n) bind(c, name='cellar_set_threads')
            import; integer(c_int), value :: n; integer(c_int) :: cel_set_threads
        end function
        function cel_get_threads() bind(c, name='cellar_get_threads')
            import; integer(c_int) :: cel_get_threads
        end function
        function c_error() bind(c, name='cellar_error')
            import; type(c_ptr) :: c_error
        end function
        function c_version() bind(c, name='cellar_version')
            import; type(c_ptr) :: c_version
        end function
        subroutine c_free(memory) bind(c, name='cellar_free')
            import; type(c_ptr), value :: memory
        end subroutine
        function c_strlen(text) bind(c, name='strlen')
            import; type(c_ptr), value :: text; integer(c_size_t) :: c_strlen
        end function
    end interface

contains

    function cel_create(path, id) result(status) ! a new netCDF-4 file; a URL with #mode= makes a Zarr store
        character(*), intent(in) :: path
        integer(c_int), intent(out) :: id
        integer(c_int) :: status
        status = c_create(trim(path)//c_null_char, cel_netcdf4, id)
    end function

    function cel_open(path, mode, id) result(status)
        character(*), intent(in) :: path
        integer, intent(in) :: mode
        integer(c_int), intent(out) :: id
        integer(c_int) :: status
        status = c_open(trim(path)//c_null_char, int(mode, c_int), id)
    end function

    function cel_def_dim(id, name, length, dim) result(status) ! length 0: unlimited
        integer(c_int), intent(in) :: id
        character(*), intent(in) :: name
        integer, intent(in) :: length
        integer(c_int), intent(out) :: dim
        integer(c_int) :: status
        status = c_def_dim(id, trim(name)//c_null_char, int(length, c_size_t), dim)
    end function

    function cel_def_var(id, name, xtype, dims, var) result(status)
        integer(c_int), intent(in) :: id, dims(:)
        character(*), intent(in) :: name
        integer, intent(in) :: xtype
        integer(c_int), intent(out) :: var
        integer(c_int) :: status
        status = c_def_var(id, trim(name)//c_null_char, int(xtype, c_int), int(size(dims), c_int), dims, var)
    end function

    function cel_find_var(id, name, var) result(status)
        integer(c_int), intent(in) :: id
        character(*), intent(in) :: name
        integer(c_int), intent(out) :: var
        integer(c_int) :: status
        status = c_inq_varid(id, trim(name)//c_null_char, var)
    end function

    function cel_def_chain(id, var, chain) result(status)
        integer(c_int), intent(in) :: id, var
        character(*), intent(in) :: chain
        integer(c_int) :: status
        status = c_def_chain(id, var, trim(chain)//c_null_char)
    end function

    function cel_chain(id, var) result(text) ! the filters by name; empty where there are none, or on an error
        integer(c_int), intent(in) :: id, var
        character(:), allocatable :: text
        type(c_ptr) :: made
        text = ''
        if (c_inq_chain(id, var, 1_c_int, made) == 0) then
            text = from_c(made)
            call c_free(made)
        end if
    end function

    function cel_error() result(text) ! why the last call of this thread failed
        character(:), allocatable :: text
        text = from_c(c_error())
    end function

    function cel_version() result(text)
        character(:), allocatable :: text
        text = from_c(c_version())
    end function

    function from_c(pointer) result(text)
        type(c_ptr), intent(in) :: pointer
        character(:), allocatable :: text
        character(kind=c_char), pointer :: chars(:)
        integer :: i
        call c_f_pointer(pointer, chars, [c_strlen(pointer)])
        allocate (character(size(chars)) :: text)
        do i = 1, size(chars)
            text(i:i) = chars(i)
        end do
    end function
end module
