// SPDX-License-Identifier: BSD-3-Clause
// zarrita.mjs read STORE PATH: prints shape and values. zarrita.mjs write STORE: makes a group with an array "v".
import * as zarr from "zarrita";
import FileSystemStore from "@zarrita/storage/fs";
const [action, where, name] = process.argv.slice(2);
const store = new FileSystemStore(where);
if (action === "read") {
  const array = await zarr.open(zarr.root(store).resolve(name), { kind: "array" });
  const { data, shape } = await zarr.get(array);
  console.log(JSON.stringify({ shape, data: Array.from(data, Number) }));
} else {
  await zarr.create(zarr.root(store));
  const array = await zarr.create(zarr.root(store).resolve("v"), { shape: [6, 5], chunkShape: [4, 3], dtype: "float32" });
  const data = Float32Array.from({ length: 30 }, (_, i) => i * 0.5);
  await zarr.set(array, null, { data, shape: [6, 5], stride: [5, 1] });
}
