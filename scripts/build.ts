/** `npm run build`: the package, as JavaScript with its types, in `dist`. What was there before goes. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from './check.ts'
import { ROOT } from './local-gate.ts'

const TSC = 'node_modules/typescript/bin/tsc'
rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
const { failed } = runChecks([
  ['build: package', TSC, '-p', 'tsconfig.build.json'],
  ['build: command line', TSC, '-p', 'tsconfig.build.cli.json'],
])
process.exitCode = failed > 0 ? 1 : 0
