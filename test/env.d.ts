import type { D1Migration } from 'cloudflare:test'
import type { QueuedDecision } from '../src/adapters/queue-decision-log.ts'
import type { GateBindings } from '../workers/gate/bindings.ts'

declare global {
  namespace Cloudflare {
    interface Env extends GateBindings {
      readonly TEST_MIGRATIONS: D1Migration[]
      readonly ADMIN_TOKEN: string
      readonly INDEX_TOKEN: string
      readonly TEST_EXPORTS: R2Bucket
      /** A local queue that the Worker under test consumes. */
      readonly TEST_QUEUE: Queue<QueuedDecision>
    }
  }
}
