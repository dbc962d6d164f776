/**
 * The ready Worker that end-to-end tests ask, bundled once for all of them. That `npm start` and wrangler serve it is tested in
 * `start.test.ts`, `init.deep.test.ts` and `killed.deep.test.ts`.
 */
import { join } from 'node:path'
import { inject } from 'vitest'
import { bundleScript } from '../../scripts/in-workerd.ts'
import { ROOT } from '../../scripts/local-gate.ts'
import { type ServedBundle, type ServedGate, serveBundle } from '../served-bundle.ts'

export type BundledGate = Pick<ServedGate, 'url' | 'adminToken' | 'stop'>

export interface BundledGateOptions extends Pick<ServedBundle, 'stateDirectory' | 'vars'> {
  /** Entry point, if it is not the gate's own. */
  readonly entry?: string
}

/** Serves it on a free loopback port, with a migrated database. */
export async function startBundledGate({ entry, ...options }: BundledGateOptions): Promise<BundledGate> {
  let modules = inject('gateModules')
  if (entry !== undefined) {
    const path = join(options.stateDirectory, 'bundle', 'worker.js')
    await bundleScript(join(ROOT, entry), path)
    modules = [{ type: 'ESModule', path }]
  }
  return serveBundle({ ...options, modules, workerOptions: inject('gateOptions') })
}
