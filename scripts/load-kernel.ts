import { readFileSync } from 'node:fs'
import type { MakeKernel, ScanKernel } from '../packages/vector-index/src/search/kernel.ts'
import { KERNEL_FILE } from './build-kernel.ts'

/** The scan kernel in Node, compiled from its file. Workers import the file instead. */
export function loadKernel(): MakeKernel {
  const module = new WebAssembly.Module(readFileSync(KERNEL_FILE))
  // The interface describes what the file exports; `kernel.test.ts` compares the file with its source.
  return () => new WebAssembly.Instance(module).exports as unknown as ScanKernel
}
