/** Typical bugs, each as a line of the package's sources and its replacement: the simulation has to find them. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** A line of the sources, and its replacement. */
interface Change {
  /** Relative to the root of the repository. */
  readonly file: string
  readonly from: string
  readonly to: string
}

/** A bug to plant. */
export interface PlantedBug extends Change {
  readonly name: string
  /** A second safeguard, which must be removed for the bug to show. */
  readonly also?: Change
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'the answer key lacks the principal',
    file: 'src/core/policy/answer-key.ts',
    from: 'partition: parts.partition,',
    to: "partition: '',",
  },
  {
    name: 'stored answers are not compared by tenant',
    file: 'src/core/policy/answer-key.ts',
    from: 'tenant: parts.tenant,',
    to: "tenant: '',",
    also: {
      file: 'src/cache/is-stored-answer.ts',
      from: "decision['tenant'] !== request.principal.tenant || ",
      to: '',
    },
  },
  {
    name: 'unpublished or withdrawn chunks are used as evidence',
    file: 'src/pipeline/retrieve.ts',
    from: '!unpublished.has(passage.id)',
    to: 'unpublished.size >= 0 && passage.id !== undefined',
  },
  {
    name: 'the question key lacks the corpus version',
    file: 'src/core/policy/answer-key.ts',
    from: ', String(parts.corpusVersion), parts.lexiconId]',
    to: ']',
  },
  {
    name: 'an await before publishing documents is missing',
    file: 'packages/ingest/src/write-corpus.ts',
    from: 'await index.upsert(namespace, passages)',
    to: 'void index.upsert(namespace, passages)',
  },
  {
    name: 'a retriever error becomes an empty result',
    file: 'src/pipeline/retrieve.ts',
    from: '    ...(filter && { filter }),\n  })\n',
    to: '    ...(filter && { filter }),\n  }).catch(() => [])\n',
  },
  {
    name: 'a stored answer never expires',
    file: 'src/cache/stored-answer.ts',
    from: 'residentSeconds >= 0 && residentSeconds < answer.lifetimeSeconds\n',
    to: 'residentSeconds >= 0\n',
  },
  {
    name: 'purges are not checked',
    file: 'src/cache/stored-answer.ts',
    from: 'return purgedSince(purgeEpoch, [',
    to: 'return purgeEpoch < 0 && purgedSince(purgeEpoch, [',
  },
  {
    name: 'rows of another namespace are accepted',
    file: 'packages/upstream/src/http-retriever.ts',
    from: "(part('namespace') ?? namespace) !== namespace",
    to: "part('namespace') === 0",
  },
  {
    name: 'a revoked key is accepted',
    file: 'packages/console/src/d1/api-keys.ts',
    from: 'if (revokedAtMs !== null || (',
    to: 'if (revokedAtMs === 0 || (',
  },
  {
    name: 'a deadline is ignored',
    file: 'src/pipeline/within-deadline.ts',
    from: 'return await Promise.race([working, expired])',
    to: 'void expired.catch(() => undefined)\n    return await working',
  },
  {
    name: 'decisions of a failed write are lost',
    file: 'src/adapters/buffered-decision-log.ts',
    from: 'if (writes.delete(write)) putBack(events)\n        pause',
    to: 'writes.delete(write)\n        pause',
  },
  {
    name: 'a decision written twice is stored twice',
    file: 'src/adapters/d1/decision-store.ts',
    from: "['at_ms', ({ event }) => Math.trunc(event.atMs)]",
    to: "['at_ms', () => Date.now()]",
  },
  {
    name: 'a hanging write is retried last',
    file: 'src/adapters/buffered-decision-log.ts',
    from: 'if (leftOf(write, nowMs) > 0) continue',
    to: 'if (leftOf(write, nowMs) > 0 || waiting.length > 0) continue',
  },
  {
    name: 'an answer from the cache is not recorded',
    file: 'src/middleware/record.ts',
    from: 'if (!log) return undefined',
    to: 'if (!log || found) return undefined',
  },
  {
    name: 'an interrupted answer is recorded as sent',
    file: 'src/middleware/record.ts',
    from: 'statusAtEnd(exchange, stream).then(log)',
    to: 'stream.ended.then(() => log())',
  },
  {
    name: 'a store’s entry for another key is accepted',
    file: 'src/adapters/answer-cache/envelope.ts',
    from: 'return answer.schema === 2 && answer.key === at ?',
    to: 'return answer.schema === 2 ?',
  },
  {
    name: 'a lease does not expire when the clock is set back',
    file: 'packages/ingest/src/d1/collection-statements.ts',
    from: 'notBetween(collections.writerUntilMs, atMs + 1, untilMs + (untilMs - atMs))',
    to: 'lte(collections.writerUntilMs, atMs)',
  },
  {
    name: 'the answer key lacks the policy',
    file: 'src/core/policy/answer-key.ts',
    from: 'policyId: parts.policyId,',
    to: "policyId: '',",
  },
  {
    name: 'the evidence key lacks the question',
    file: 'src/cache/keys.ts',
    from: 'stems === undefined ? shared.question :',
    to: "stems === undefined ? '' :",
  },
  {
    name: 'an answer is stored despite no-store',
    file: 'src/cache/cache-use.ts',
    from: "const store = !directives.has('no-store')",
    to: 'const store = true',
  },
  {
    name: 'messages of a failed write are acknowledged',
    file: 'packages/cloudflare/src/decision-consumer.ts',
    from: 'for (const message of events.keys()) message.retry({ delaySeconds: retryAfterSeconds })',
    to: 'for (const message of events.keys()) message.ack()',
  },
  {
    name: 'unusable reranker scores are accepted',
    file: 'src/core/evidence/rerank.ts',
    from: ' || !given.every(isScore)',
    to: '',
  },
  {
    name: 'calls of cancelled requests are counted as running',
    file: 'packages/models/src/limited-generator.ts',
    from: 'if (untilMs <= nowMs || untilMs > nowMs + streamTimeoutMs) end()',
    to: 'if (untilMs < 0 * nowMs) end()',
  },
]

const ROOT = new URL('../../', import.meta.url)

/** The files that a bug changes, with the change applied. */
export function changesOf(bug: PlantedBug | undefined): readonly { readonly path: string; readonly source: string }[] {
  if (bug === undefined) return []
  return [bug, ...(bug.also === undefined ? [] : [bug.also])].map(({ file, from, to }) => {
    const path = fileURLToPath(new URL(file, ROOT))
    const source = readFileSync(path, 'utf8')
    if (source.split(from).length !== 2) throw new Error(`${file} has not, or not once: ${from}`)
    return { path, source: source.replace(from, () => to) }
  })
}

/** Plants a bug in modules loaded from now on. @throws if its line no longer exists */
export function plant(bug: PlantedBug): void {
  for (const { path, source } of changesOf(bug)) {
    const { href } = pathToFileURL(path)
    registerHooks({
      load(url, context, next) {
        const loaded = next(url, context)
        return url === href ? { ...loaded, source } : loaded
      },
    })
  }
}
