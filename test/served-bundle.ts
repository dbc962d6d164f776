/**
 * The ready Worker in workerd, from a bundle and by the bindings of wrangler.toml: what `wrangler dev` serves, without its proxy,
 * and without watching sources.
 */
import { dirname, join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, type V4ModuleDefinition } from 'miniflare'
import type { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { type LocalGate, migrate, ROOT } from '../scripts/local-gate.ts'

export interface ServedGate extends Pick<LocalGate, 'url' | 'adminToken' | 'stop'> {
  /** WebSocket of the inspector. */
  readonly inspectorUrl: () => Promise<string>
}

/** What its configuration gives a Worker: bindings, flags, assets. */
export type WorkerOptions = ReturnType<typeof unstable_getMiniflareWorkerOptions>['workerOptions']

/** Reads a wrangler.toml, by default the gate's, as wrangler does, which takes a second and a half to load. */
export async function readWorkerOptions(...folders: readonly string[]): Promise<WorkerOptions> {
  const wrangler = await import('wrangler')
  return wrangler.unstable_getMiniflareWorkerOptions(join(ROOT, ...folders, 'wrangler.toml')).workerOptions
}

export interface ServedBundle {
  readonly modules: readonly V4ModuleDefinition[]
  /** @default what wrangler.toml says */
  readonly workerOptions?: WorkerOptions
  /** Where D1 is kept. */
  readonly stateDirectory: string
  /** Variables of the Worker, beside its secrets. */
  readonly vars?: Readonly<Record<string, string>>
  /** Whether there is an inspector. @default false */
  readonly isInspected?: boolean
}

const SECRETS = {
  ADMIN_TOKEN: 'test-admin-token-0123456789abcdef0123456789abcdef',
  QUESTION_HMAC_KEY: 'test-hmac-key-0123456789abcdef0123456789abcdef',
}

/** Serves it on a free port of loopback, with a migrated database. */
export async function serveBundle(served: ServedBundle): Promise<ServedGate> {
  const { modules, stateDirectory, vars, isInspected } = served
  migrate(stateDirectory)
  const workerOptions = served.workerOptions ?? (await readWorkerOptions())
  const bindings: Record<string, string> = { AUDIENCE: 'operator', ...SECRETS, ...vars }
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      ...(isInspected && { inspectorPort: 0 }),
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
  return {
    url: origin,
    adminToken: bindings['ADMIN_TOKEN']!,
    inspectorUrl: async () => new URL('/core:user:gate', await miniflare.getInspectorURL()).href,
    stop: () => miniflare.dispose(),
  }
}
