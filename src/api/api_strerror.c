/* One line per code. Codes above 0 are the system's. cellar_error() says what
 * happened; this says only what kind of thing it was. */
#include "api.h"
#include <netcdf_meta.h>
#include <string.h>

static const struct {
    int code;
    const char *text;
} known[] = {
    {NC_NOERR, "No error"},
    {NC2_ERR, "NetCDF: A version-2 call failed"},
    {NC_SYSERR, "NetCDF: System error"},
    {NC_EXDR, "NetCDF: XDR error"},
    {NC_EBADID, "NetCDF: Not the id of an open dataset"},
    {NC_ENFILE, "NetCDF: Too many datasets are open"},
    {NC_EEXIST, "NetCDF: File exists, and NC_NOCLOBBER was given"},
    {NC_EINVAL, "NetCDF: Invalid argument"},
    {NC_EPERM, "NetCDF: Write to a read-only dataset"},
    {NC_ENOTINDEFINE, "NetCDF: Operation not allowed in data mode"},
    {NC_EINDEFINE, "NetCDF: Operation not allowed in define mode"},
    {NC_EINVALCOORDS, "NetCDF: Index exceeds dimension bound"},
    {NC_EMAXDIMS, "NetCDF: Too many dimensions (NC_MAX_DIMS)"},
    {NC_ENAMEINUSE, "NetCDF: Name is already in use"},
    {NC_ENOTATT, "NetCDF: Attribute not found"},
    {NC_EMAXATTS, "NetCDF: Too many attributes (NC_MAX_ATTRS)"},
    {NC_EBADTYPE, "NetCDF: Not a valid data type, or _FillValue of another type"},
    {NC_EBADDIM, "NetCDF: Invalid dimension id or name"},
    {NC_EUNLIMPOS, "NetCDF: Unlimited dimension in the wrong place"},
    {NC_EMAXVARS, "NetCDF: Too many variables (NC_MAX_VARS)"},
    {NC_ENOTVAR, "NetCDF: Variable not found"},
    {NC_EGLOBAL, "NetCDF: Not possible on NC_GLOBAL"},
    {NC_ENOTNC, "NetCDF: Unknown file format"},
    {NC_ESTS, "NetCDF: In Fortran, string too short"},
    {NC_EMAXNAME, "NetCDF: Name is longer than NC_MAX_NAME"},
    {NC_EUNLIMIT, "NetCDF: An unlimited dimension is already there"},
    {NC_ENORECVARS, "NetCDF: There are no record variables"},
    {NC_ECHAR, "NetCDF: Attempt to convert between text and numbers"},
    {NC_EEDGE, "NetCDF: Start+count exceeds dimension bound"},
    {NC_ESTRIDE, "NetCDF: Illegal stride"},
    {NC_EBADNAME, "NetCDF: Name contains illegal characters"},
    {NC_ERANGE, "NetCDF: Numeric conversion not representable"},
    {NC_ENOMEM, "NetCDF: Memory allocation failed"},
    {NC_EVARSIZE, "NetCDF: A variable is too large for the format"},
    {NC_EDIMSIZE, "NetCDF: Invalid dimension size"},
    {NC_ETRUNC, "NetCDF: File is likely truncated or corrupted"},
    {NC_EAXISTYPE, "NetCDF: Illegal axis type"},
    {NC_EDAP, "NetCDF: DAP failure"},
    {NC_ECURL, "NetCDF: libcurl failure"},
    {NC_EIO, "NetCDF: I/O failure"},
    {NC_ENODATA, "NetCDF: Variable has no data in the DAP request"},
    {NC_EDAPSVC, "NetCDF: DAP server error"},
    {NC_EDAS, "NetCDF: Malformed or inaccessible DAP DAS"},
    {NC_EDDS, "NetCDF: Malformed or inaccessible DAP2 DDS or DAP4 DMR"},
    {NC_EDATADDS, "NetCDF: Malformed or inaccessible DAP2 DATADDS or DAP4 DAP response"},
    {NC_EDAPURL, "NetCDF: Malformed URL"},
    {NC_EDAPCONSTRAINT, "NetCDF: Malformed or unexpected constraint"},
    {NC_ETRANSLATION, "NetCDF: Untranslatable construct"},
    {NC_EACCESS, "NetCDF: Access failure"},
    {NC_EAUTH, "NetCDF: Authorization failure"},
    {NC_ENOTFOUND, "NetCDF: File not found"},
    {NC_ECANTREMOVE, "NetCDF: Cannot delete file"},
    {NC_EINTERNAL, "NetCDF: Internal library error; please report it"},
    {NC_EPNETCDF, "NetCDF: PnetCDF error"},
    {NC_EHDFERR, "NetCDF: HDF error"},
    {NC_ECANTREAD, "NetCDF: Can't read file"},
    {NC_ECANTWRITE, "NetCDF: Can't write file"},
    {NC_ECANTCREATE, "NetCDF: Can't create file"},
    {NC_EFILEMETA, "NetCDF: Can't add or read the file's metadata"},
    {NC_EDIMMETA, "NetCDF: Can't define or read dimension metadata"},
    {NC_EATTMETA, "NetCDF: Can't open or read an attribute"},
    {NC_EVARMETA, "NetCDF: Problem with variable metadata"},
    {NC_ENOCOMPOUND, "NetCDF: Can't create or find a compound type"},
    {NC_EATTEXISTS, "NetCDF: Attribute already exists"},
    {NC_ENOTNC4, "NetCDF: Attempting netcdf-4 operation on netcdf-3 file"},
    {NC_ESTRICTNC3, "NetCDF: Attempting netcdf-4 operation on strict nc3 netcdf-4 file"},
    {NC_ENOTNC3, "NetCDF: Attempting netcdf-3 operation on netcdf-4 file"},
    {NC_ENOPAR, "NetCDF: Parallel operation on a file opened for serial access"},
    {NC_EPARINIT, "NetCDF: Error initializing for parallel access"},
    {NC_EBADGRPID, "NetCDF: Bad group id"},
    {NC_EBADTYPID, "NetCDF: Bad type id"},
    {NC_ETYPDEFINED, "NetCDF: Type is already defined and may not be changed"},
    {NC_EBADFIELD, "NetCDF: Bad field id"},
    {NC_EBADCLASS, "NetCDF: Bad class of type"},
    {NC_EMAPTYPE, "NetCDF: Mapped access for atomic types only"},
    {NC_ELATEFILL, "NetCDF: Attempt to define a fill value when data already exists"},
    {NC_ELATEDEF, "NetCDF: Attempt to define variable properties after enddef"},
    {NC_EDIMSCALE, "NetCDF: Problem with HDF5 dimension scales"},
    {NC_ENOGRP, "NetCDF: No group found"},
    {NC_ESTORAGE, "NetCDF: Cannot specify both contiguous and chunking"},
    {NC_EBADCHUNK, "NetCDF: Bad chunk sizes"},
    {NC_ENOTBUILT, "NetCDF: Feature is not in this build"},
    {NC_EDISKLESS, "NetCDF: Error in using diskless access"},
    {NC_ECANTEXTEND, "NetCDF: Attempt to extend a dataset during independent I/O"},
    {NC_EMPI, "NetCDF: MPI operation failed"},
    {NC_EFILTER, "NetCDF: Filter error: bad id or parameters or duplicate filter"},
    {NC_ERCFILE, "NetCDF: RC file failure"},
    {NC_ENULLPAD, "NetCDF: File fails strict null-byte header check"},
    {NC_EINMEMORY, "NetCDF: In-memory file operation failed"},
    {NC_ENOFILTER, "NetCDF: Filter error: undefined filter encountered"},
    {NC_ENCZARR, "NetCDF: NCZarr error"},
    {NC_ES3, "NetCDF: S3 error"},
    {NC_EEMPTY, "NetCDF: Attempt to read an empty key"},
    {NC_EOBJECT, "NetCDF: An object exists when it should not"},
    {NC_ENOOBJECT, "NetCDF: An object is missing"},
    {NC_EPLUGIN, "NetCDF: Failure in a dynamically loaded plugin"},
    {NC_ENOTZARR, "NetCDF: Malformed Zarr metadata"},
    {NC_EZARRMETA, "NetCDF: Malformed consolidated Zarr metadata"},
    {NC_ECOMPRESS, "NetCDF: Invalid compression method or parameters"},
};

const char *nc_strerror(int ncerr1)
{
    const char *text = NULL;

    if (NC_ISSYSERR(ncerr1))
        text = strerror(ncerr1);
    for (size_t i = 0; !text && i < sizeof known / sizeof *known; i++)
        if (known[i].code == ncerr1)
            text = known[i].text;
    return text ? text : "Unknown Error";
}

const char *nc_inq_libvers(void)
{
    return NC_VERSION " of Cellar " CELLAR_VERSION " $";
}
