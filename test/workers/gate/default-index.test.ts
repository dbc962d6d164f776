import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { ROOT } from '../../../scripts/local-gate.ts'

test('the bundle of the ready Worker contains no vector index and no hashed embedding', async () => {
  const { metafile } = await build({
    entryPoints: [join(ROOT, 'workers', 'gate', 'index.ts')],
    absWorkingDir: ROOT,
    bundle: true,
    metafile: true,
    write: false,
    format: 'esm',
    platform: 'node',
    external: ['cloudflare:*'],
    logLevel: 'silent',
  })
  const files = Object.keys(metafile.inputs)
  expect(files).toContain('packages/word-index/src/retriever.ts')
  expect(files.filter((file) => file.includes('packages/vector-index/'))).toEqual([])
})
