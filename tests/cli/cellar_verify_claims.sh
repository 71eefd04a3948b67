# SPDX-License-Identifier: BSD-3-Clause
# A document that claims more than there can be: an answer, not memory.
mkdir -p z.zarr/v && echo '{"zarr_format": 2}' >z.zarr/.zgroup
claim() {
    echo "{\"zarr_format\": 2, \"shape\": $1, \"chunks\": $2, \"dtype\": \"<f8\", \"compressor\": null, \"filters\": null, \"fill_value\": 0, \"order\": \"C\"}" >z.zarr/v/.zarray
    cellar verify z.zarr; echo "exit $?"
    cellar info z.zarr | tail -1
}
claim '[8, 8]' '[9007199254740992, 9007199254740992]'
claim '[4294967296, 4294967296, 4]' '[1, 1, 1]' | head -2
claim '[1000000000000]' '[1000000000000]'
claim '[1000000000000]' '[1]'
