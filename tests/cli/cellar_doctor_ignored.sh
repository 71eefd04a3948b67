# SPDX-License-Identifier: BSD-3-Clause
# Values that are not valid, and are ignored; then values at the limits, which are not.
unset ${!CELLAR_@}
say() { env "$@" cellar doctor | sed -n '/^environment/,/^locks/p' | grep -v ^locks; }
say CELLAR_NUM_THREADS=abc CELLAR_MAX_DECODED=xyz CELLAR_HTTP_REQUESTS=-1 CELLAR_HTTP_RETRIES=101 CELLAR_HTTP_TIMEOUT=1s \
    CELLAR_CACHE=folder CELLAR_PLUGINS=yes NETCDF_LOG_LEVEL=loud
say CELLAR_NUM_THREADS=1024 CELLAR_MAX_DECODED=4G CELLAR_HTTP_REQUESTS=1 CELLAR_HTTP_RETRIES=0 CELLAR_HTTP_TIMEOUT=86400 \
    CELLAR_CACHE=folder:1M CELLAR_PLUGINS=prefer NETCDF_LOG_LEVEL=0 CELLAR_FSYNC= | grep -c ignored
say CELLAR_MAX_DECODED=99999999999999999999; say CELLAR_MAX_DECODED=17179869184G
CELLAR_NUM_THREADS=0 cellar doctor --json >j.json
python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/doctor.json" j.json
grep -o '"ignored": *"[^"]*"' j.json
