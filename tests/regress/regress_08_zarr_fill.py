# SPDX-License-Identifier: BSD-3-Clause
"""fill_value as xarray reads it: in version 2 it is _FillValue, in version 3 only what absent chunks hold."""
import base64, json, os, shutil, struct, subprocess, sys, tempfile

TOOLS = os.environ["CEL_TEST_TOOLS"]
scratch = tempfile.mkdtemp(prefix="regress_08_", dir=os.environ.get("TMPDIR") or os.environ["CEL_TEST_BUILD"])
failures = 0


def dump(version, fill, attributes, dtype=("<i4", "int32"), chunk=struct.pack("<2i", 0, 5)):
    path = os.path.join(scratch, "s.zarr")
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path + "/v/c")
    if version == 2:
        json.dump({"zarr_format": 2}, open(path + "/.zgroup", "w"))
        json.dump(attributes, open(path + "/v/.zattrs", "w"))
        json.dump({"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": dtype[0], "fill_value": fill, "order": "C",
                   "filters": None, "compressor": None}, open(path + "/v/.zarray", "w"))
    else:
        json.dump({"zarr_format": 3, "node_type": "group"}, open(path + "/zarr.json", "w"))
        json.dump({"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": dtype[1], "fill_value": fill,
                   "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}}, "attributes": attributes,
                   "chunk_key_encoding": {"name": "default"},
                   "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}, open(path + "/v/zarr.json", "w"))
    open(path + ("/v/0" if version == 2 else "/v/c/0"), "wb").write(chunk)
    return subprocess.run([TOOLS + "/ncdump", path], capture_output=True, text=True).stdout


def check(label, text, data, att):
    global failures
    ok = f"v = {data} ;" in text and (f"v:_FillValue = {att} ;" in text if att else "_FillValue" not in text)
    if not ok:
        failures += 1
        print(f"FAILED {label}\n{text}")


check("v2, 0", dump(2, 0, {}), "_, 5, _, _", "0")
check("v2, -7", dump(2, -7, {}), "0, 5, _, _", "-7")
check("v2, none", dump(2, None, {}), "0, 5, 0, 0", None)
check("v2, NaN", dump(2, "NaN", {}, ("<f4", ""), struct.pack("<2f", 0, 5)), "0, 5, _, _", "NaNf")
check("v3, 0", dump(3, 0, {}), "0, 5, 0, 0", None)
check("v3, -7", dump(3, -7, {}), "0, 5, -7, -7", None)
check("v3, 0 and the attribute", dump(3, 0, {"_FillValue": 5}), "0, _, 0, 0", "5")
check("v3, a double as xarray writes it", dump(3, 1.5, {"_FillValue": base64.b64encode(struct.pack("<d", -999)).decode()},
                                               ("", "float64"), struct.pack("<2d", -999, 5)), "_, 5, 1.5, 1.5", "-999.")
shutil.rmtree(scratch)
sys.exit(1 if failures else 0)
