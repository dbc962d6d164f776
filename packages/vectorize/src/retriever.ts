/** Reading from a Vectorize index, filled by the gate or by others. */
import {
  callable,
  dot,
  isRecord,
  memberAt,
  namespaceOf,
  object,
  oneOf,
  type OptionKinds,
  required,
  requireOptions,
} from 'hono-rag-gate/core/lib'
import { onceEach } from '@hono-rag-gate/upstream/rows'
import {
  FIELDS_OPTION,
  NAMESPACE_OPTIONS,
  namespaceChoice,
  type NamespaceOptions,
  namespaceShared,
  type PassageFields,
  passageOfRow,
  placesOf,
  questionVector,
  requireDimension,
  type RetrieverWarning,
  rowsWithoutText,
} from '@hono-rag-gate/upstream/rows'
import { embedsWords, type Passage, rankRows, type RetrievedRow } from 'hono-rag-gate/core/evidence'
import { isRagGateError, RagGateError } from 'hono-rag-gate/errors'
import { badResponse } from '@hono-rag-gate/upstream/http'
import type { ChunkTexts, RetrievalRequest, Retriever } from 'hono-rag-gate/ports'
import { type Call, callerOf, passagesOf, type VectorizeOptions, VECTORIZE_OPTIONS } from './caller.ts'
import { cosineOf, isScoreOf, unit, type VectorizeMetric } from './cosine.ts'
import { checkedFilter, joinedFilter, type VectorizeFilter } from './filter.ts'
import { byteLength, INDEX, LIMITS, vectorId } from './limits.ts'
import { type ReadVector, readVector, readVectorOfOthers } from './rows.ts'
import { nothingFound } from './warnings.ts'

/** Options of a retriever. */
export interface VectorizeRetrieverOptions extends Omit<VectorizeOptions, 'texts'>, NamespaceOptions {
  /**
   * Who filled the index. `others`: rows in any shape; without a namespace the whole index is searched. `gate`:
   * `createVectorizeChunkIndex`, whose ids, namespaces and metadata are known.
   *
   * @default 'others'
   */
  readonly filledBy?: 'others' | 'gate'
  /**
   * Where the metadata store text, title, section, source, document id and version.
   *
   * @default the names of `USUAL_FIELDS`, tried in turn: `text`, `content`, `chunk` …
   */
  readonly fields?: PassageFields
  /** Reads passages by vector id, if the index does not store texts. */
  readonly texts?: Pick<ChunkTexts, 'get'>
  /** Metric that the index was created with. The binding does not report it, so exact scores are checked against it. */
  readonly metric: VectorizeMetric
  /**
   * `exact`: each match includes its vector, and the cosine is computed from it. `approximate`: less data is returned,
   * and the service's approximate score is used; for an index that others filled only with the metric cosine, since
   * without vectors their length is unknown.
   *
   * @default 'exact'
   */
  readonly scores?: 'exact' | 'approximate'
  /**
   * Restricts which vectors are searched, by properties with a metadata index. Set by the server, never by a request.
   * The filter of a search is added: its fields need a metadata index too, which members of `metadata` cannot have in
   * an index that the gate filled.
   *
   * @default none: the whole namespace
   */
  readonly filter?: VectorizeFilter
  /**
   * Called once for each problem that gives empty results instead of errors: an empty namespace, rows without text.
   *
   * @default console.warn
   */
  readonly onWarning?: (warning: RetrieverWarning) => void
}

const OPTIONS: OptionKinds<VectorizeRetrieverOptions> = {
  ...VECTORIZE_OPTIONS,
  ...NAMESPACE_OPTIONS,
  metric: required(oneOf('cosine', 'euclidean', 'dot-product')),
  filledBy: oneOf('others', 'gate'),
  fields: FIELDS_OPTION,
  scores: oneOf('exact', 'approximate'),
  filter: object,
  onWarning: callable,
}

/**
 * Retrieves at most fifty passages by cosine. A match of another namespace, or with a score that the configured metric
 * cannot give, makes the whole response invalid. Matches without text are left out with a warning, and give
 * `retriever_misconfigured` if all are; in an index that the gate filled they make the response invalid.
 *
 * @throws `config_invalid` for invalid options
 */
export function createVectorizeRetriever(options: VectorizeRetrieverOptions): Retriever {
  requireOptions(options, OPTIONS)
  const { index, embedder, texts, metric, scores = 'exact', filledBy = 'others', fields = {} } = options
  const { onWarning = ({ message }) => console.warn(`[rag-gate] ${message}`) } = options
  const isGate = filledBy === 'gate'
  const call = callerOf(options, 1500)
  const own = checkedFilter(options.filter ?? {})
  requireSense(options)
  const isNew = onceEach()
  const warnOnce = (warning: RetrieverWarning): void => {
    if (isNew(warning.code)) onWarning(warning)
  }
  const namespaceFor = namespaceChoice(isGate ? { namespace: namespaceOf, ...options } : options, () =>
    warnOnce(namespaceShared(options.namespace ?? '')),
  )

  /** In the order of the matches; `null` for one without text. */
  async function passagesAt(namespace: string, matches: readonly ReadVector[]): Promise<readonly (Passage | null)[]> {
    if (isGate || texts !== undefined) return passagesOf(matches, namespace, texts)
    return matches.map(({ id, fields: metadata }) => {
      const passage = passageOfRow({ id, metadata }, fields)
      if (passage === undefined) warnOnce(rowsWithoutText({ id, metadata }, fields))
      return passage ?? null
    })
  }

  /** After an empty result, warns with the number of vectors in the index. */
  async function warnIfEmpty(namespace: string, signal: AbortSignal): Promise<void> {
    // The search already has its result; a failure here is ignored.
    const info = await call(() => index.describe(), signal).catch(() => undefined)
    if (isRecord(info)) warnOnce(nothingFound(namespace, info['vectorCount'], Object.keys(own)))
  }

  return {
    embedding: { model: embedder.model, dimension: embedder.dimension },
    scores: [embedsWords(embedder.model) ? 'none' : 'meaning'],
    async retrieve({ tenant, collection, question, topK, filter: asked, signal }: RetrievalRequest) {
      const namespace = namespaceFor(tenant, collection)
      checkNamespace(namespace, isGate)
      const filter = joinedFilter(own, asked, isGate ? undefined : fields)
      const vector = questionVector(await embedder.embed({ texts: [question], purpose: 'question', signal }), embedder)
      // A zero vector has no direction, so no row is similar to it.
      if (!vector.some((value) => value !== 0)) return [rankRows('cosine', [], 1)]
      // Vectors written by the gate have length 1.
      const sent = isGate ? unit(vector) : [...vector]
      const wanted = Math.min(topK, LIMITS.topK)
      const result = await call(
        () =>
          index.query(sent, {
            topK: wanted,
            returnValues: scores === 'exact',
            returnMetadata: 'all',
            ...(namespace !== '' && { namespace }),
            ...(Object.keys(filter).length > 0 && { filter }),
          }),
        signal,
      ).catch((thrown: unknown) => explained(thrown, call, options, signal))
      if (!isRecord(result) || !Array.isArray(result['matches'])) throw badResponse(INDEX, 'no matches')
      const read = isGate ? readVector : readVectorOfOthers
      const matches = result['matches'].map((row: unknown) => read(namespace, row))
      const passages = await passagesAt(namespace, matches)
      const rows = matches.flatMap((match, at): RetrievedRow[] => {
        const passage = passages[at]
        return passage === undefined || passage === null
          ? []
          : [{ passage, score: cosine(match, sent, metric, scores) }]
      })
      if (matches.length > 0 && rows.length === 0) throw noTexts(isGate || texts !== undefined, fields)
      if (matches.length === 0 && !isGate && asked === undefined && isNew(`looked ${namespace}`)) {
        await warnIfEmpty(namespace, signal)
      }
      return [rankRows('cosine', rows, wanted)]
    },
  }
}

/** If only some texts are missing, they were deleted just now; if all are, the response is invalid. */
function noTexts(areElsewhere: boolean, fields: PassageFields): RagGateError {
  if (areElsewhere) return badResponse(INDEX, 'matches without any text')
  return new RagGateError(
    'retriever_misconfigured',
    `its rows have no text in ${placesOf(fields)}: set fields.text, or texts`,
  )
}

/**
 * Explains a failed query. The service's error does not name the cause; for an index that others filled it is usually a
 * wrong dimension.
 *
 * @throws always: `embedding_mismatch` for a wrong dimension, otherwise what was thrown
 */
async function explained(
  thrown: unknown,
  call: Call,
  { index, embedder }: VectorizeRetrieverOptions,
  signal: AbortSignal,
): Promise<never> {
  if (isRagGateError(thrown) && thrown.code === 'retriever_unavailable' && !signal.aborted) {
    const info = await call(() => index.describe(), signal).catch(() => undefined)
    const dimensions = memberAt(info, 'dimensions')
    if (typeof dimensions === 'number') requireDimension(dimensions, embedder.dimension)
  }
  throw thrown
}

function checkNamespace(namespace: string, isGate: boolean): void {
  if (isGate) vectorId(namespace, '-')
  else if (byteLength(namespace) > LIMITS.namespaceBytes) {
    throw new RagGateError('retriever_misconfigured', `A namespace has at most ${LIMITS.namespaceBytes} bytes`)
  }
}

/** @throws `retriever_misconfigured` if the configured metric cannot give this score */
function cosine(
  { score, values }: ReadVector,
  vector: readonly number[],
  metric: VectorizeMetric,
  scores: 'exact' | 'approximate',
): unknown {
  if (typeof score !== 'number' || !Number.isFinite(score)) return score
  if (scores === 'approximate') return cosineOf(metric, score)
  if (values?.length !== vector.length) throw badResponse(INDEX, 'a match without its values')
  if (!isScoreOf(metric, vector, values, score)) {
    throw new RagGateError('retriever_misconfigured', `The scores of the index are not those of the metric ${metric}`)
  }
  return dot(unit(values), unit(vector))
}

function requireSense({ filledBy, fields, scores, metric }: VectorizeRetrieverOptions): void {
  if (filledBy === 'gate' && fields !== undefined) {
    throw new RagGateError('config_invalid', "fields is for an index that others filled, not for filledBy: 'gate'", {
      param: 'fields',
    })
  }
  if (filledBy !== 'gate' && scores === 'approximate' && metric !== 'cosine') {
    throw new RagGateError(
      'config_invalid',
      `Approximate scores by ${metric} need not be cosines: use scores: 'exact'`,
      { param: 'scores' },
    )
  }
}
