// Runs a program that was built for wasm32-unknown-unknown, or for wasm32-wasip1, and fails when it fails.
//
//     node run-wasm.mjs PROGRAM.wasm
import { readFile } from "node:fs/promises";

const file = process.argv[2];
const module = await WebAssembly.compile(await readFile(file));
if (WebAssembly.Module.imports(module).some((entry) => entry.module === "wasi_snapshot_preview1")) {
  const { WASI } = await import("node:wasi");
  const wasi = new WASI({ version: "preview1", args: [file], returnOnExit: true });
  process.exitCode = wasi.start(await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport }));
} else {
  let instance;
  const print = (data, len) => {
    console.log(new TextDecoder().decode(new Uint8Array(instance.exports.memory.buffer, data, len)));
  };
  instance = await WebAssembly.instantiate(module, { host: { print } });
  process.exitCode = instance.exports.main(0, 0);
}
