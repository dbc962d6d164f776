/** A Worker whose requests take a role under one key, and end as the path says. Served by `lost-leader.test.ts`. */
import {
  type AnswerFlight,
  createDurableObjectCoalescer,
} from '../../packages/cloudflare/src/durable-object-coalescer.ts'

export { AnswerFlight } from '../../packages/cloudflare/src/durable-object-coalescer.ts'

interface Bindings {
  readonly FLIGHTS: DurableObjectNamespace<AnswerFlight>
  /** This Worker itself: a request of its own can be cancelled. */
  readonly SELF: Fetcher
}

export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const { origin, pathname, search, searchParams } = new URL(request.url)
    if (pathname === '/cancel-after-a-second') {
      const signal = AbortSignal.timeout(1000)
      await env.SELF.fetch(`${origin}/hang${search}`, { signal }).catch(() => undefined)
      return new Response('cancelled')
    }
    const coalescer = createDurableObjectCoalescer({ namespace: env.FLIGHTS, leaderTimeoutMs: 20_000 })
    const role = await coalescer.join(searchParams.get('key') ?? '', 0)
    // No landing: the end of the request is all that the object sees.
    if (pathname === '/hang') await scheduler.wait(60_000)
    if (pathname === '/throw') throw new Error('the leader is gone')
    return new Response(role.kind)
  },
}
