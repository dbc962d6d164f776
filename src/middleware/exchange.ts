/** A request as the gate processes it: caller and question, read once. */
import type { Context } from 'hono'
import type { MessagesByCode } from '../core/reports/refusal.ts'
import { RagGateError } from '../errors.ts'
import { collectionNotFound } from '../pipeline/find-place.ts'
import type { QuestionCache } from '../pipeline/gate-cache.ts'
import type { QuestionRequest } from '../pipeline/question-settings.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { ReadQuestion, RouteSettings } from './check-options.ts'
import type { ResolvedDependencies } from './dependencies.ts'
import type { RagGateEnv } from './gate-context.ts'
import { identified } from './identified.ts'
import { later } from './later.ts'
import { readQuestion } from './read-question.ts'

/** A request in progress. */
export interface Exchange {
  readonly settings: RouteSettings
  readonly dependencies: ResolvedDependencies
  readonly messages?: MessagesByCode | undefined
  readonly request: QuestionRequest
  /** The original request; `c.req.raw` is replaced when the body is read. */
  readonly received: Request
  /** Absent without an answer cache. */
  readonly cache: QuestionCache | undefined
  readonly startedMs: number
  /** Path under which the gate is mounted. */
  readonly route: string
  /** Runs work that the response does not wait for. */
  readonly later: (work: () => Promise<void> | undefined) => void
}

/** Methods whose body holds a question; QUERY as in RFC 10008. */
const METHODS: readonly string[] = ['POST', 'QUERY']

/** @throws `method_not_allowed`, `config_invalid`, `collection_not_found`, and what `identified` and `readQuestion` throw */
export async function readExchange<Bindings extends object>(
  c: Context<RagGateEnv<Bindings>>,
  settings: RouteSettings,
  dependencies: ResolvedDependencies,
): Promise<Exchange> {
  const startedMs = dependencies.clock.nowMs()
  const received = c.req.raw
  if (settings.question.read === undefined && !METHODS.includes(received.method))
    throw new RagGateError('method_not_allowed', 'Use POST')
  // Already set if an outer gate judged this question, although the type says that it is always set.
  if ((c.get('ragGate') as unknown) !== undefined) {
    throw new RagGateError('config_invalid', 'Two gates for one request')
  }
  const principal = await identified(dependencies.authenticate, received, settings.retrieval.timeoutMs)
  // Read before the body, because reading a header afterwards would rebuild the request.
  const { messages, key: messagesKey } = settings.messagesFor(c)
  const read = await readQuestion(c, settings.question, principal.tenant)
  const request = questionRequest(read, principal, settings)
  const { closestPassages } = settings
  const deferred: Exchange['later'] = (work) => later(c, work)
  const cache = dependencies.cache?.open({
    request,
    received,
    startedMs,
    path: c.req.path,
    queries: (name) => c.req.queries(name),
    options: {
      otherFields: read.otherFields,
      ...(messagesKey && { messages: messagesKey }),
      ...(closestPassages && { closestPassages: String(closestPassages) }),
    },
    later: deferred,
  })
  return {
    settings,
    dependencies,
    request,
    received,
    startedMs,
    // Read now: later it would be the handler's route.
    route: c.req.routePath,
    later: deferred,
    messages,
    cache,
  }
}

/** The question request for the pipeline. @throws `collection_not_found` */
export function questionRequest(
  read: Pick<ReadQuestion, 'question' | 'collection'>,
  principal: Principal,
  { question: { collection: unnamed, collections } }: RouteSettings,
): QuestionRequest {
  const { question, collection = unnamed } = read
  if (collections !== 'any' && !collections.includes(collection)) throw collectionNotFound()
  return { question, collection, principal, audience: principal.scopes.includes('admin') ? 'operator' : 'public' }
}
