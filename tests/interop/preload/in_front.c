/* All of this library comes from the archive and the list of names it is linked with. */
const char cellar_is_in_front[] = "libnetcdf's names, Cellar's functions";
