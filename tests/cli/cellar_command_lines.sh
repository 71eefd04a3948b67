# SPDX-License-Identifier: BSD-3-Clause
# The lines of nccopy that cellar advises mean the same in a shell, whatever the names are.
. "$CLI/sample.sh"; sample s
cat >big.cdl <<'END'
netcdf big { dimensions: t = 40 ; y = 20 ; x = 20 ; variables: float v(t, y, x) ; v:_ChunkSizes = 1, 20, 20 ; }
END
ncgen -4 -o big.nc big.cdl
for name in plain.nc "two words.nc" "it's \$HOME.nc" -dash.nc $'line\nend.nc' $'caf\303\251.nc'; do
    cp ./big.nc "./$name"
    line=$(cellar chunks -- "$name" | tail -n 1)
    echo "$line"
    eval "$line" && cellar diff big.nc OUT.nc && rm OUT.nc
done
