/** Runs before each workerd test file: the Worker has composed nothing, nothing is stored or about to be, and D1 gets the real migrations. */
import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { endTimers } from './timers-of-a-file.ts'
import { beginIsolate } from './worker-requests.ts'

const isEmpty = async (): Promise<boolean> =>
  (await env.DB.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'decisions'`).first()) === null

endTimers()
beginIsolate()
// On a busy machine a database has been there after it.
for (let tries = 0; tries === 0 || !(await isEmpty()); tries++) {
  if (tries === 10) throw new Error('The database of the file before is still there')
  await reset()
}
// What is in a cache cannot be listed, and `reset` leaves it: each file opens caches of its own.
const file = crypto.randomUUID()
caches.open = (name) => CacheStorage.prototype.open.call(caches, `${name}-${file}`)
// As one statement: that takes a third less than a batch of them.
await env.DB.prepare(env.TEST_MIGRATIONS.flatMap(({ queries }) => queries).join(';\n')).run()
