/** Before all tests in a browser and over HTTP: the ready Worker, bundled by wrangler once for all of them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { V4ModuleDefinition } from 'miniflare'
import type { TestProject } from 'vitest/node'
import { bundle } from '../../scripts/bundle.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly gateModules: readonly V4ModuleDefinition[]
  }
}

export default function bundleGate({ provide }: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-bundle-'))
  provide('gateModules', bundle('workers/gate/index.ts', directory))
  return () => rmSync(directory, { recursive: true, force: true })
}
