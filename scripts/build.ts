/**
 * `npm run build`: the package, as JavaScript with its types, in `dist`, and compiled kernels beside what loads them.
 * What was there before goes.
 */
import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { runChecks } from './check.ts'
import { ROOT } from './local-gate.ts'

const TSC = 'node_modules/typescript/bin/tsc'
rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
const { failed } = runChecks([['build: package', TSC, '-p', 'tsconfig.build.json']])
// In one file with what it needs: the package has no dependencies of its own.
await build({
  entryPoints: [join(ROOT, 'src', 'cli', 'main.ts')],
  outfile: join(ROOT, 'dist', 'src', 'cli', 'main.js'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // A library in it is CommonJS, and asks Node for its own modules.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
})
for (const file of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.wasm')) copyFileSync(join(ROOT, 'src', file), join(ROOT, 'dist', 'src', file))
}
process.exitCode = failed > 0 ? 1 : 0
