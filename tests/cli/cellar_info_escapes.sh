# SPDX-License-Identifier: BSD-3-Clause
# Names that command a terminal are shown, not obeyed.
python3 - <<'PY'
# A name as no CDL may write it, put into a classic file.
import struct
def text(b): return struct.pack('>I', len(b)) + b + b'\0' * (-len(b) % 4)
d, v = b'd\x1b[31m', b'v\x1b]0;x\x07'
head = lambda begin: b'CDF\1' + struct.pack('>III', 0, 10, 1) + text(d) + struct.pack('>I', 2) + struct.pack('>II', 0, 0) + \
    struct.pack('>II', 11, 1) + text(v) + struct.pack('>II', 1, 0) + struct.pack('>II', 0, 0) + struct.pack('>III', 4, 8, begin)
open('e.nc', 'wb').write(head(len(head(0))) + struct.pack('>ii', 1, 2))
PY
cellar info --layout e.nc; cellar info --json e.nc | grep name; cellar info --chunks='x' e.nc
cellar info e.nc --chunks="$(printf 'v\033]0;x\007')"
