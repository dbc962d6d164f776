/**
 * Compiles the scan kernel.
 *
 *   node scripts/run.mjs --with=packages/vector-index/kernel scripts/build-kernel.ts
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { main } from 'assemblyscript/asc'
import { KERNEL_FILE } from './load-kernel.ts'

const OPTIONS = [
  '-O3',
  '--noAssert',
  '--runtime',
  'stub',
  '--use',
  'abort=',
  '--enable',
  'simd',
  '--initialMemory',
  '1',
]

/**
 * Compiles AssemblyScript without a runtime: numbers and memory only.
 *
 * @param source path from the root of the project
 * @throws Error with what the compiler says
 */
export async function compileAssemblyScript(source: string): Promise<Uint8Array<ArrayBuffer>> {
  const baseDir = fileURLToPath(new URL('..', import.meta.url))
  let compiled: Uint8Array | undefined
  const { error, stderr } = await main([source, '--baseDir', baseDir, '--outFile', 'kernel.wasm', ...OPTIONS], {
    writeFile: (_name, contents) => {
      if (typeof contents !== 'string') compiled = contents
    },
  })
  if (error !== null || compiled === undefined) throw new Error(`${source} does not compile:\n${stderr.toString()}`)
  return Uint8Array.from(compiled)
}

/** The kernel, compiled afresh. */
export function compileKernel(): Promise<Uint8Array<ArrayBuffer>> {
  return compileAssemblyScript('packages/vector-index/kernel/scan.ts')
}

if (import.meta.main) {
  const compiled = await compileKernel()
  writeFileSync(KERNEL_FILE, compiled)
  console.log(`${KERNEL_FILE}: ${compiled.length} bytes`)
}
