# SPDX-License-Identifier: BSD-3-Clause
"""The peers of the Zarr matrix: what each can do, and how it reads and writes a case."""
import json, os, subprocess, sys, warnings
import numpy as np
from matrix_cases import ALL, BLOSC, CODECS, REALS
warnings.simplefilter("ignore")

BLOSCS = [f"blosc {c} {s}" for c, s in BLOSC]
CORE3 = ["none", "gzip", "zstd", "zstd negative", "crc32c", "zstd crc32c"] + BLOSCS
NUMCODECS2 = [n for n, c in CODECS.items() if c[1] is not None and n not in ("zfpy", "crc32c", "jenkins_lookup3", "fletcher32")]
NUMCODECS3 = [n for n, c in CODECS.items() if c[2] is not None and n not in ("zfp", "zfp reversible", "zfpy", "scale_offset", "cast_value")]
TYPES = ALL + ["b1"]


class ZarrPython3:
    can_write = writes_text = True

    def __init__(self):
        import zarr, numcodecs
        self.zarr, self.numcodecs = zarr, numcodecs
        self.name = f"zarr-python {zarr.__version__}"
        new = tuple(map(int, zarr.__version__.split(".")[:2])) >= (3, 2)
        more3 = [n for n in ("scale_offset", "cast_value") if new] + [n for n in ("zfpy",) if "zfpy" in numcodecs.registry.codec_registry]
        more2 = [n for n in ("zfpy", "crc32c", "jenkins_lookup3", "fletcher32") if n in numcodecs.registry.codec_registry]
        # numcodecs' filters on elements see little-endian numbers whatever is stored: docs/zarr.md
        self.can = {"name": "zarr 3", "versions": [2, 3], "types": TYPES, "more types": ["b1", "f2", "c8", "c16"],
                    "codecs": {2: NUMCODECS2 + more2, 3: NUMCODECS3 + more3}}

    def store(self, path, case, mode):
        return self.zarr.storage.ZipStore(path, mode=mode) if case.zip else path

    def write(self, path, case):
        zarr = self.zarr
        store = self.store(path, case, "w")
        group = zarr.create_group(store, zarr_format=case.version)
        options = {"shape": case.shape, "chunks": case.chunks, "fill_value": case.fill, "attributes": {"text": case.text}}
        if case.version == 2:
            filters, compressor = case.codecs2()
            get = self.numcodecs.get_codec
            options.update(dtype=np.dtype(case.dtype()), filters=[get(f) for f in filters] if filters else None, order=case.order or "C",
                           compressors=get(compressor) if compressor else None,
                           chunk_key_encoding={"name": "v2", "separator": case.separator or "."})
        else:
            before, serializer, after = case.codecs3()
            options.update(dtype=np.dtype("<" + case.code), filters=before or None, serializer=serializer, compressors=after or None, shards=case.shards,
                           chunk_key_encoding={"name": "v2" if case.v2_keys else "default", "separator": case.separator})
        a = group.create_array(case.node, **options)
        if not case.empty:
            a[...] = case.data
        want = np.asarray(a[...])
        if case.consolidated:
            zarr.consolidate_metadata(store)
        if case.zip:
            store.close()
        return want

    def read(self, path, case):
        store = self.store(path, case, "r")
        group = self.zarr.open_group(store, mode="r", use_consolidated=True if case.consolidated else None)
        a = group[case.node]
        got, text = np.asarray(a[...]), a.attrs.get("text", "")
        if case.zip:
            store.close()
        return got, text


class ZarrPython2:
    can_write = writes_text = True

    def __init__(self):
        import zarr, numcodecs
        self.zarr, self.numcodecs = zarr, numcodecs
        self.name = f"zarr-python {zarr.__version__}"
        more = [n for n in ("zfpy", "crc32c", "jenkins_lookup3", "fletcher32") if n in numcodecs.registry.codec_registry]
        self.can = {"name": "zarr 2", "versions": [2], "types": TYPES, "more types": ["b1", "f2", "c8", "c16"],
                    "codecs": {2: NUMCODECS2 + more}}

    def write(self, path, case):
        zarr = self.zarr
        store = zarr.ZipStore(path, mode="w") if case.zip else zarr.DirectoryStore(path)
        filters, compressor = case.codecs2()
        get = self.numcodecs.get_codec
        a = zarr.open_group(store, mode="w").create_dataset(
            case.node, shape=case.shape, chunks=case.chunks, dtype=case.dtype(), fill_value=case.fill, order=case.order or "C",
            filters=[get(f) for f in filters] if filters else None, compressor=get(compressor) if compressor else None,
            dimension_separator=case.separator)
        a.attrs["text"] = case.text
        if not case.empty:
            a[...] = case.data
        want = np.asarray(a[...])
        if case.consolidated:
            zarr.consolidate_metadata(store)
        if case.zip:
            store.close()
        return want

    def read(self, path, case):
        zarr = self.zarr
        store = zarr.ZipStore(path, mode="r") if case.zip else zarr.DirectoryStore(path)
        group = zarr.open_consolidated(store, mode="r") if case.consolidated else zarr.open_group(store, mode="r")
        a = group[case.node]
        got, text = np.asarray(a[...]), a.attrs.get("text", "")
        if case.zip:
            store.close()
        return got, text


class TensorStore:
    can_write, writes_text = True, False

    def __init__(self):
        import tensorstore
        self.ts = tensorstore
        self.name = "TensorStore"
        v2 = ["none", "zlib", "gzip", "zstd", "zstd negative", "bz2"] + BLOSCS
        self.can = {"name": "tensorstore", "versions": [2, 3], "types": ALL, "more types": ["b1", "f2", "c8", "c16"], "consolidated": False,
                    "zip": False, "codecs": {2: v2, 3: CORE3}}

    def spec(self, path, case):
        base = {"driver": "file", "path": path}
        kvstore = {"driver": "zip", "base": base, "path": case.node + "/"} if case.zip else {"driver": "file", "path": f"{path}/{case.node}/"}
        return {"driver": "zarr" if case.version == 2 else "zarr3", "kvstore": kvstore}

    def read(self, path, case):
        return self.ts.open(self.spec(path, case), read=True).result().read().result(), None

    def write(self, path, case):
        spec = self.spec(path, case)
        if case.version == 2:
            spec["metadata"] = case.document2()
        else:
            spec["metadata"] = {k: v for k, v in case.document3().items() if k != "attributes"}
        a = self.ts.open(spec, create=True).result()
        if not case.empty:
            a.write(case.data).result()
        return np.asarray(a.read().result())


class Zarrs:
    """Through zarrs/src/main.rs."""
    can_write, writes_text = True, True
    name = "zarrs"

    def __init__(self, args, server):
        self.p = server([args[0]])
        v2 = ["none", "gzip", "zlib", "bz2", "zstd", "zstd negative", "adler32", "fletcher32", "zfpy"] + BLOSCS
        v3 = CORE3 + ["zlib", "bz2", "adler32", "fletcher32", "bitround", "zfp", "zfp reversible", "zfpy"]
        self.can = {"name": "zarrs", "versions": [2, 3, 3], "types": ALL, "more types": ["b1", "f2", "c8", "c16"], "consolidated": False,
                    "zip": False, "codecs": {2: v2, 3: v3}}

    def file(self, path):
        return os.path.join(os.path.dirname(path), "zarrs.bin")

    def read(self, path, case):
        self.p.answer("read", path, "/" + case.node, self.file(path))
        return np.fromfile(self.file(path), "<" + case.code).reshape(case.shape), None

    def write(self, path, case):
        os.makedirs(path)
        raw, doc = self.file(path), self.file(path) + ".json"
        case.data.tofile(raw)
        document = case.document2() if case.version == 2 else case.document3()
        if case.version == 2:
            document["attributes"] = {"text": case.text}
        with open(doc, "w", encoding="utf-8") as f:
            json.dump(document, f, ensure_ascii=False)
        self.p.answer("write", path, "/" + case.node, doc, "" if case.empty else raw)
        return self.read(path, case)[0]


class Zarrita:
    """Through matrix_zarrita.mjs; args: the folder of node_modules."""
    can_write, writes_text = True, False
    name = "zarrita"

    def __init__(self, args, server):
        import node_script
        self.p = server(["node", node_script.place("matrix_zarrita.mjs", args[0])])
        both = ["none", "gzip", "zstd"] + BLOSCS
        # it writes no shards and some codecs not at all, and knows no arrays of length zero
        self.can = {"name": "zarrita", "versions": [2, 3], "types": ALL, "more types": ["b1"], "consolidated": False, "zip": False, "zip ours": False,
                    "shards": "ours", "codecs": {2: both + ["zlib", "lz4"], 3: both + ["crc32c"]}, "not written": ["gzip", "zlib", "crc32c"],
                    "zero length": 0.02}

    def file(self, path):
        return os.path.join(os.path.dirname(path), "zarrita.bin")

    def read(self, path, case):
        self.p.answer("read", path, case.node, self.file(path))
        return np.fromfile(self.file(path), "<" + case.code).reshape(case.shape), None

    def write(self, path, case):
        """zarrita makes documents of its own for version 3 only: it is given one, and writes the chunks."""
        os.makedirs(os.path.join(path, case.node))
        raw = self.file(path)
        case.data.tofile(raw)
        name = ".zarray" if case.version == 2 else "zarr.json"
        with open(os.path.join(path, case.node, name), "w", encoding="utf-8") as f:
            json.dump(case.document2() if case.version == 2 else case.document3(), f)
        if not case.empty:
            self.p.answer("write", path, case.node, raw)
        return self.read(path, case)[0]


class Gdal:
    can_write, writes_text = True, False

    def __init__(self):
        from osgeo import gdal
        gdal.UseExceptions()
        gdal.PushErrorHandler("CPLQuietErrorHandler")
        self.gdal = gdal
        self.name = f"GDAL {gdal.__version__}"
        v2 = ["none", "zlib", "gzip", "zstd", "lzma", "lz4"] + BLOSCS
        self.can = {"name": "gdal", "versions": [2], "types": [t for t in ALL if t != "i1"], "codecs": {2: v2}, "zip": False, "ranks": [1, 1, 2, 2, 3, 4],
                    "zero length": 0, "large chunks": False, "consolidated": False}

    def read(self, path, case):
        gdal = self.gdal
        name = f'ZARR:"/vsizip/{path}"' if case.zip else f'ZARR:"{path}"'
        ds = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER)
        a = ds.GetRootGroup().OpenMDArrayFromFullname("/" + case.node)
        return np.asarray(a.ReadAsArray()), None

    def write(self, path, case):
        gdal = self.gdal
        from osgeo import gdal_array
        ds = gdal.GetDriverByName("Zarr").CreateMultiDimensional(path, [], ["FORMAT=ZARR_V2"])
        group = ds.GetRootGroup()
        if "/" in case.node:
            group = group.CreateGroup("g")
        dims = [group.CreateDimension(f"d{i}", None, None, n) for i, n in enumerate(case.shape)]
        words = case.codec.split()
        options = ["COMPRESS=" + {"none": "NONE", "zlib": "ZLIB", "gzip": "GZIP", "zstd": "ZSTD", "lzma": "LZMA", "lz4": "LZ4", "blosc": "BLOSC"}[words[0]],
                   "BLOCKSIZE=" + ",".join(map(str, case.chunks)), "CHUNK_MEMORY_LAYOUT=" + (case.order or "C"),
                   "DIM_SEPARATOR=" + (case.separator or ".")]
        if words[0] == "blosc":
            options += ["BLOSC_CNAME=" + words[1], "BLOSC_SHUFFLE=" + {"noshuffle": "NONE", "shuffle": "BYTE", "bitshuffle": "BIT"}[words[2]]]
        dtype = gdal.ExtendedDataType.Create(gdal_array.NumericTypeCodeToGDALTypeCode(case.data.dtype.newbyteorder("=").type))
        a = group.CreateMDArray("v", dims, dtype, options)
        if case.data.dtype.kind == "f":
            a.SetNoDataValueDouble(case.fill)
        if case.empty:
            case.empty = False  # GDAL's fill value is its own
        a.WriteArray(case.data)
        del a, group, ds, dims
        return case.data


def make(name, args, server):
    plain = {"zarr3": ZarrPython3, "zarr2": ZarrPython2, "tensorstore": TensorStore, "gdal": Gdal}
    return plain[name]() if name in plain else {"zarrs": Zarrs, "zarrita": Zarrita}[name](args, server)
