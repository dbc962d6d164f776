import type { D1Migration } from 'cloudflare:test'
import type { GateBindings } from '../workers/gate/bindings.ts'

declare global {
  namespace Cloudflare {
    interface Env extends GateBindings {
      readonly TEST_MIGRATIONS: D1Migration[]
      readonly ADMIN_TOKEN: string
      readonly INDEX_TOKEN: string
    }
  }
}
