# SPDX-License-Identifier: BSD-3-Clause
# References that lie are errors of one line each, or passed over.
try() {
    printf '{".zgroup": "{\\"zarr_format\\": 2}", "v/.zarray": "{\\"shape\\": [4], \\"chunks\\": [4], \\"dtype\\": \\"|i1\\", \\"fill_value\\": 0, \\"order\\": \\"C\\", \\"filters\\": null, \\"compressor\\": null, \\"zarr_format\\": 2}", %s}' "$1" >b.json
    ncdump -v v b.json 2>&1 | grep -E 'ncdump:|v =|//' | sort -u
}
printf '\001\002\003\004\005\006' >six.bin; mkdir folder
try '"v/0": ["six.bin", 1, 4]'
try '"v/0": ["six.bin", 4, 4]'
try '"v/0": ["six.bin", 18446744073709551615, 4]'
try '"v/0": ["six.bin", 0, 18446744073709551615]'
try '"v/0": ["six.bin", -1, 4]'
try '"v/0": ["six.bin", 1]'
try '"v/0": ["nofile.bin", 0, 4]'
try '"v/0": ["folder", 0, 4]'
try '"v/0": ["s3://bucket/x", 0, 4]'
try '"v/0": ["{{u}}", 0, 4]'
try '"v/0": 5'
try '"v/0": "base64:####"'
try '"v/0": "abc"'
try '"../v": "outside", "v//0": "x", "": "y"'
echo '{"version": 1, "gen": [1], "refs": {}}' >g.json; ncdump g.json
echo '{"refs": ' >h.json; ncdump h.json
echo '{}' >i.json; ncdump i.json
