# SPDX-License-Identifier: BSD-3-Clause
# Text that is JSON is JSON in version 2 (nczarr.md, appendix C), where reading gives the same text again.
cat > t.cdl <<'CDL'
netcdf t {
variables:
	int v ;
		v:object = "{\"a\": [1, 2.5], \"b c\": {\"d\": \" x \"}}" ;
		v:nested = "[[1.0, 0.0], [0.0, 1.0]]" ;
		v:list = "[1, 2]" ;
		v:number = "12" ;
		v:version = "1.10" ;
		v:word = "true" ;
		v:nan = "NaN" ;
		v:in_list = "[NaN]" ;
		v:lax = "[0.,1.]" ;
		v:quoted = "\"q\"" ;
		v:plain = "{ not" ;
		v:empty = "[]" ;
data:
 v = 1 ;
}
CDL
for mode in nczarr zarr nczarr,v3; do
    ncgen -o "file://$PWD/t.$mode#mode=$mode" t.cdl && ncdump "file://$PWD/t.$mode#mode=$mode" | diff - t.cdl | grep '^[<>]'
    echo "$mode:"
    [ "$mode" = nczarr,v3 ] || /usr/bin/python3 -c "
import json, sys
for name, value in json.load(open(sys.argv[1] + '/v/.zattrs')).items():
    if name[0] != '_':
        print(name, type(value).__name__)" "t.$mode"
done
