/// <reference types="@cloudflare/vitest-plugin/types" />
import type { D1Migration } from 'cloudflare:test'
import type { QueuedDecision } from '../packages/cloudflare/src/queue-decision-log.ts'
import type { VectorIndex } from '../packages/vector-index/src/worker/door.ts'
import type { GateBindings } from '../workers/gate/bindings.ts'

declare global {
  namespace Cloudflare {
    interface Env extends GateBindings {
      readonly TEST_MIGRATIONS: D1Migration[]
      /** Whether this is `npm run test:deep`. */
      readonly TEST_DEEP: boolean
      readonly ADMIN_TOKEN: string
      readonly VECTOR_INDEXES: unknown
      readonly VECTOR_INDEX: DurableObjectNamespace<VectorIndex>
      readonly TEST_EXPORTS: R2Bucket
      /** A local queue that the Worker under test consumes. */
      readonly TEST_REQUEST_LIMIT: RateLimit
      readonly TEST_QUEUE: Queue<QueuedDecision>
    }
  }
}
