/**
 * Compiles the scan kernel.
 *
 *   node scripts/run.mjs --with=packages/vector-index/kernel scripts/build-kernel.ts
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { KERNEL_FILE } from './load-kernel.ts'
import { ROOT } from './local-gate.ts'

const COMPILER = join(ROOT, 'node_modules', 'assemblyscript', 'bin', 'asc.js')
const SOURCE = join('packages', 'vector-index', 'kernel', 'scan.ts')

/** Only numbers and memory, so no runtime is needed. */
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
 * Compiles the kernel.
 *
 * @throws Error with the compiler's message
 */
export function compileKernel(): Buffer<ArrayBuffer> {
  const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-kernel-'))
  const file = join(folder, 'kernel.wasm')
  try {
    // The compiler resolves the path against its working directory.
    const args = [COMPILER, SOURCE, '--outFile', relative(ROOT, file), ...OPTIONS]
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${SOURCE} does not compile:\n${stderr}`)
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) {
  const compiled = compileKernel()
  writeFileSync(KERNEL_FILE, compiled)
  console.log(`${KERNEL_FILE}: ${compiled.length} bytes`)
}
