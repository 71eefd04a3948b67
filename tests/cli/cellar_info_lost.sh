# SPDX-License-Identifier: BSD-3-Clause
# What the file has and Cellar does not understand is named, also where it is no variable.
mkdir -p s.zarr/odd s.zarr/good
echo '{"zarr_format": 2}' >s.zarr/.zgroup
echo '{"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i4", "compressor": null, "filters": null, "fill_value": 0, "order": "C"}' >s.zarr/good/.zarray
sed 's/<i4/<q99/' s.zarr/good/.zarray >s.zarr/odd/.zarray
cellar info s.zarr | tail -n 4
cellar info --json s.zarr >s.json && python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/info.json" s.json
sed -n '/^  "unreadable"/,/\]/p' s.json
cellar chunks s.zarr; echo "exit $?"
