import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ScanKernel } from '../packages/vector-index/src/search/kernel.ts'

/** Path of the compiled kernel. */
export const KERNEL_FILE = fileURLToPath(new URL('../packages/vector-index/src/search/scan.wasm', import.meta.url))

/** Loads the scan kernel in Node. Workers import the file instead. */
export function loadKernel(): ScanKernel {
  const module = new WebAssembly.Module(readFileSync(KERNEL_FILE))
  // The interface describes the file's exports; a test compares the file with its source.
  return new WebAssembly.Instance(module).exports as unknown as ScanKernel
}
