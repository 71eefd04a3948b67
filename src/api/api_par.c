/* Parallel access, which a serial library refuses. Communicators are never looked at: whatever type the program's MPI
 * gives them, a number or a pointer, they arrive as one. */
#include "api.h"
#define CELLAR_NO_MPI
#include <netcdf_par.h>

static int serial(void)
{
    cel_error_clear();
    return cel_fail(NC_ENOPAR, "this library is serial: use nc_create and nc_open");
}

int nc_create_par(const char *path, int cmode, void *comm, void *info, int *ncidp)
{
    (void)path, (void)cmode, (void)comm, (void)info, (void)ncidp;
    return serial();
}

int nc_open_par(const char *path, int mode, void *comm, void *info, int *ncidp)
{
    (void)path, (void)mode, (void)comm, (void)info, (void)ncidp;
    return serial();
}

int nc_var_par_access(int ncid, int varid, int par_access)
{
    (void)ncid, (void)varid, (void)par_access;
    return serial();
}

int nc_create_par_fortran(const char *path, int cmode, int comm, int info, int *ncidp)
{
    (void)path, (void)cmode, (void)comm, (void)info, (void)ncidp;
    return serial();
}

int nc_open_par_fortran(const char *path, int mode, int comm, int info, int *ncidp)
{
    (void)path, (void)mode, (void)comm, (void)info, (void)ncidp;
    return serial();
}
