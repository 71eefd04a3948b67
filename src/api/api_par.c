/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel access, which a serial library refuses. Communicators are never looked at: whatever type the program's MPI
 * gives them, a number or a pointer, they arrive as one. */
#include "api.h"
#include "dl.h"
#define CELLAR_NO_MPI
#include <netcdf_par.h>

static int serial(void)
{
    cel_error_clear();
    if (cel_dl_is_loaded("libcellar_mpi.so"))
        return cel_fail(NC_ENOPAR,
                        "libcellar and libcellar_mpi are both loaded in this process, and the call went to the "
                        "serial one: link the program, and all it uses, with libcellar_mpi alone");
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
