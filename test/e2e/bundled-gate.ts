/**
 * The ready Worker in workerd, from its bundle and by the bindings of wrangler.toml: what `wrangler dev` serves, without bundling it
 * again and watching its sources for each file of tests. That `npm start` and wrangler serve it is tested in `start.test.ts`,
 * `init.test.ts` and `killed.test.ts`.
 */
import { dirname, join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { inject } from 'vitest'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { bundle } from '../../scripts/bundle.ts'
import { type LocalGate, migrate, ROOT } from '../../scripts/local-gate.ts'

export type BundledGate = Pick<LocalGate, 'url' | 'adminToken' | 'stop'>

export interface BundledGateOptions {
  /** Where D1 is kept. */
  readonly stateDirectory: string
  /** Variables of the Worker, beside its secrets. */
  readonly vars?: Readonly<Record<string, string>>
  /** Entry point, when it is not the gate's own. */
  readonly entry?: string
}

const SECRETS = {
  ADMIN_TOKEN: 'test-admin-token-0123456789abcdef0123456789abcdef',
  QUESTION_HMAC_KEY: 'test-hmac-key-0123456789abcdef0123456789abcdef',
}

/** Serves it on a free port of loopback, with a migrated database. */
export async function startBundledGate({ stateDirectory, vars, entry }: BundledGateOptions): Promise<BundledGate> {
  migrate(stateDirectory)
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(ROOT, 'wrangler.toml'))
  const modules = entry === undefined ? inject('gateModules') : bundle(entry, join(stateDirectory, 'bundle'))
  const bindings: Record<string, string> = { AUDIENCE: 'operator', ...SECRETS, ...vars }
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      // Where `wrangler dev --persist-to` keeps it.
      resourcePersistencePath: join(stateDirectory, 'v3'),
      // `/cdn-cgi/local/scheduled`.
      unsafeTriggerHandlers: true,
      workers: [
        {
          ...workerOptions,
          name: 'gate',
          modules: [...modules],
          modulesRoot: dirname(modules[0]!.path),
          bindings,
        },
      ],
    }),
  )
  const { origin } = await miniflare.ready
  return { url: origin, adminToken: bindings['ADMIN_TOKEN']!, stop: () => miniflare.dispose() }
}
