// SPDX-License-Identifier: BSD-3-Clause
// The hand of the matrix against zarrita: one command a line of standard input, words between tabs.
//   read STORE NODE FILE    the elements of the array into FILE
//   write STORE NODE FILE   the elements of FILE into the array, which is there
import * as zarr from "zarrita";
import FileSystemStore from "@zarrita/storage/fs";
import fs from "node:fs";
import readline from "node:readline";

const typed = { int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array,
  int64: BigInt64Array, uint64: BigUint64Array, float32: Float32Array, float64: Float64Array };

// In C order, whatever the strides.
function inOrder({ data, shape, stride }, dtype) {
  const n = shape.reduce((a, b) => a * b, 1);
  const out = dtype === "bool" ? new Array(n) : new typed[dtype](n);
  const at = shape.map(() => 0);
  for (let i = 0; i < n; i++) {
    const from = at.reduce((sum, x, d) => sum + x * stride[d], 0);
    out[i] = dtype === "bool" ? data.get(from) : data[from];
    for (let d = shape.length - 1; d >= 0 && ++at[d] === shape[d]; d--) at[d] = 0;
  }
  return out;
}

function bytesOf(data, dtype) {
  if (dtype === "bool") return Buffer.from(Uint8Array.from(Array.from(data), Number));
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

function dataOf(raw, dtype, n) {
  const copy = raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.byteLength);
  return dtype === "bool" ? new zarr.BoolArray(copy) : new typed[dtype](copy, 0, n);
}

function strideOf(shape) {
  const stride = new Array(shape.length);
  let n = 1;
  for (let i = shape.length - 1; i >= 0; n *= shape[i--]) stride[i] = n;
  return stride;
}

async function run([action, store, node, file]) {
  const array = await zarr.open(zarr.root(new FileSystemStore(store)).resolve(node), { kind: "array" });
  const n = array.shape.reduce((a, b) => a * b, 1);
  if (action === "read") {
    const got = await zarr.get(array);
    fs.writeFileSync(file, array.shape.length ? bytesOf(inOrder(got, array.dtype), array.dtype)
      : bytesOf(array.dtype === "bool" ? [got] : typed[array.dtype].from([got]), array.dtype));
  } else {
    const data = dataOf(fs.readFileSync(file), array.dtype, n);
    await zarr.set(array, null, array.shape.length ? { data, shape: array.shape, stride: strideOf(array.shape) }
      : array.dtype === "bool" ? data.get(0) : data[0]);
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  try {
    await run(line.split("\t"));
    console.log("ok");
  } catch (e) {
    console.log("error " + String(e?.message ?? e).replaceAll("\n", " "));
  }
}
