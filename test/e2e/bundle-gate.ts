/** Before all tests in a browser and over HTTP: the ready Worker, bundled and read by wrangler once for all, and room for the packages. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { V4ModuleDefinition } from 'miniflare'
import type { TestProject } from 'vitest/node'
import { bundle } from '../../scripts/bundle.ts'
import { readWorkerOptions, type WorkerOptions } from '../served-bundle.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly gateModules: readonly V4ModuleDefinition[]
    readonly gateOptions: WorkerOptions
    /** Bundle of the vector index Worker. */
    readonly indexOptions: WorkerOptions
    /** Folder for the tarballs, which the first file that needs them creates. */
    readonly tarballs: string
  }
}

export default async function bundleGate({ provide }: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-bundle-'))
  provide('gateModules', bundle('workers/gate/index.ts', join(directory, 'gate')))
  provide('gateOptions', await readWorkerOptions())
  provide('indexOptions', await readWorkerOptions('packages', 'vector-index'))
  provide('tarballs', join(directory, 'tarballs'))
  return () => rmSync(directory, { recursive: true, force: true })
}
