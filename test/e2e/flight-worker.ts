/** A Worker whose requests take a role under one key, and end as the path says. Served by `lost-leader.test.ts`. */
import {
  type AnswerFlight,
  createDurableObjectCoalescer,
} from '../../packages/cloudflare/src/durable-object-coalescer.ts'

import { aStoredAnswer } from '../fixtures/decision.ts'

export { AnswerFlight } from '../../packages/cloudflare/src/durable-object-coalescer.ts'

interface Bindings {
  readonly FLIGHTS: DurableObjectNamespace<AnswerFlight>
  /** This Worker itself: its own subrequests can be cancelled. */
  readonly SELF: Fetcher
}

/** Keys whose streams break off. */
const broken = new Set<string>()

/** Sends a piece, and breaks off once a follower has read it. */
const breakingOff = (key: string): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('a')),
    async pull() {
      while (!broken.has(key)) await scheduler.wait(10)
      throw new Error('reset')
    },
  })

export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const { origin, pathname, search, searchParams } = new URL(request.url)
    if (pathname === '/cancel-after-a-second') {
      const signal = AbortSignal.timeout(1000)
      await env.SELF.fetch(`${origin}/hang${search}`, { signal }).catch(() => undefined)
      return new Response('cancelled')
    }
    const key = searchParams.get('key') ?? ''
    if (pathname === '/log') console.error(key)
    const coalescer = createDurableObjectCoalescer({ namespace: env.FLIGHTS, leaderTimeoutMs: 20_000 })
    const role = await coalescer.join(key, 0)
    // Never lands: the object only sees the request end.
    if (pathname === '/hang') await scheduler.wait(60_000)
    if (pathname === '/throw') throw new Error('the leader is gone')
    if (pathname === '/break-off' && role.kind === 'leader') {
      role.leader.begin(aStoredAnswer(key), breakingOff(key))
      await role.leader.complete({ kind: 'failed' })
    }
    if (pathname === '/break-off' && role.kind === 'follower') {
      const reader = role.body!.getReader()
      await reader.read()
      broken.add(key)
      return new Response(
        await reader.read().then(
          () => 'went on',
          () => 'broke off',
        ),
      )
    }
    return new Response(role.kind)
  },
}
