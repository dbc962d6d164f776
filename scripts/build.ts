/**
 * `npm run build`: the package, as JavaScript with its types, in `dist`, and compiled kernels beside what loads them.
 * What was there before goes.
 */
import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from './check.ts'
import { ROOT } from './local-gate.ts'

const TSC = 'node_modules/typescript/bin/tsc'
rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
const { failed } = runChecks([
  ['build: package', TSC, '-p', 'tsconfig.build.json'],
  ['build: command line', TSC, '-p', 'tsconfig.build.cli.json'],
])
for (const file of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.wasm')) copyFileSync(join(ROOT, 'src', file), join(ROOT, 'dist', 'src', file))
}
process.exitCode = failed > 0 ? 1 : 0
