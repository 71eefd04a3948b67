# SPDX-License-Identifier: BSD-3-Clause
"""The files that verify_damage.py and salvage_damage.py damage."""
import os
import sys
import zipfile


def make(run):
    """a.nc, c.nc, a.zarr and a.zarr.zip with the same values, made by our tools; run(tool, *args) runs one."""
    values = ', '.join(str((i * 37 % 1009) / 8) for i in range(4096))
    with open('a.cdl', 'w') as f:
        f.write(f'''netcdf a {{ dimensions: x = 64 ; y = 64 ;
variables: float covered(x, y) ; covered:_ChunkSizes = 16, 16 ; covered:_Filter = "shuffle|zstd,level=1|fletcher32" ;
  float bare(x, y) ; bare:_ChunkSizes = 32, 32 ; bare:_Filter = "shuffle|lz4" ; int flat(x) ;
data: covered = {values} ; bare = {values} ; flat = {', '.join(map(str, range(1, 65)))} ; }}\n''')
    for args in (['ncgen', '-4', '-o', 'a.nc', 'a.cdl'],
                 ['nccopy', '-F', 'covered,shuffle|zstd,level=1|crc32c', '-F', 'bare,shuffle|zstd,level=1', 'a.nc',
                  'file://a.zarr#mode=zarr'],
                 ['nccopy', '-3', '-F', 'none', 'a.nc', 'c.nc']):
        done = run(*args)
        if done.returncode:
            sys.exit(f'{args}: {done.stderr}')
    with zipfile.ZipFile('a.zarr.zip', 'w', zipfile.ZIP_STORED) as z:
        for folder, _, names in sorted(os.walk('a.zarr')):
            for name in sorted(names):
                path = os.path.join(folder, name)
                z.write(path, os.path.relpath(path, 'a.zarr'))
