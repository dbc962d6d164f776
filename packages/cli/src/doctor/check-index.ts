/** Checks whether the gate can search an Upstash index: its kind, its scores, and whether its rows have texts. */
import { isRecord } from 'hono-rag-gate/core/lib'
import { CommandError } from '../command-error.ts'
import { upstashInfo, upstashRows, type UpstashAddress } from '../list-index-rows.ts'
import { passageIn, withoutAnyText } from '../which-index.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Findings about an index, and its dimension if it could be read. */
export interface IndexFound {
  readonly findings: readonly Finding[]
  readonly dimension?: number
}

/** Checks reachability, dimension, score kinds and texts. @param fields where rows store their text, if configured */
export async function checkIndex(where: UpstashAddress, fields: { readonly text?: string }): Promise<IndexFound> {
  let info: Readonly<Record<string, unknown>>
  try {
    info = await upstashInfo(where)
  } catch (thrown) {
    return {
      findings: [problem('index', saidBy(thrown), 'check UPSTASH_VECTOR_REST_URL and UPSTASH_VECTOR_REST_TOKEN')],
    }
  }
  const { denseIndex: dense, sparseIndex: sparse } = partsIn(info)
  const parts = [
    ...(dense === undefined ? [] : [`dense, ${dense.dimension} dimensions, ${dense.model || 'vectors of your own'}`]),
    ...(sparse === undefined ? [] : [`sparse, ${sparse.model || 'vectors of your own'}`]),
  ]
  const findings = [
    ok('index', `${new URL(where.url).host} answers: ${parts.join('; ')}`),
    dimensionOf(dense),
    scoresOf(dense, sparse),
    await textsOf(where, fields),
  ].filter((found) => found !== undefined)
  return { findings, dimension: dense?.dimension ?? 0 }
}

interface Part {
  readonly dimension: number
  readonly similarity: string
  readonly model: string
}

function partsIn(
  info: Readonly<Record<string, unknown>>,
): Readonly<Record<'denseIndex' | 'sparseIndex', Part | undefined>> {
  const part = (value: unknown): Part | undefined => {
    if (!isRecord(value)) return undefined
    const { dimension, similarityFunction: similarity, embeddingModel: model } = value
    return {
      dimension: typeof dimension === 'number' ? dimension : 0,
      similarity: typeof similarity === 'string' ? similarity : '',
      model: typeof model === 'string' ? model : '',
    }
  }
  return { denseIndex: part(info['denseIndex']), sparseIndex: part(info['sparseIndex']) }
}

function dimensionOf(dense: Part | undefined): Finding | undefined {
  if (dense === undefined) return undefined
  if (dense.model !== '') return ok('dimension', `${dense.dimension}, embedded by the index itself`)
  const text = `the index embeds nothing: questions need vectors of ${dense.dimension} dimensions`
  return warning(
    'dimension',
    text,
    'give the retriever an `embedder` of that dimension, the model that filled the index',
  )
}

function scoresOf(dense: Part | undefined, sparse: Part | undefined): Finding {
  const kinds = [...(dense === undefined ? [] : ['cosine']), ...(sparse === undefined ? [] : ['bm25'])].join(', ')
  const { similarity = '' } = dense ?? {}
  if (dense === undefined || /^(?:cosine)?$/i.test(similarity)) return ok('score kinds', kinds)
  const text = `${kinds}; the index measures by ${similarity}, and cosines are worked out from its vectors`
  return warning('score kinds', text, 'an index that measures by COSINE sends no vectors back')
}

async function textsOf(where: UpstashAddress, fields: { readonly text?: string }): Promise<Finding> {
  try {
    for await (const { rows, total } of upstashRows(where)) {
      const found = rows.filter((row) => passageIn(row, fields) !== undefined).length
      if (found === 0) throw withoutAnyText(rows[0], fields)
      return ok('texts', `${found} of the first ${rows.length} rows have one, of ${total}`)
    }
  } catch (thrown) {
    return problem('texts', saidBy(thrown), 'the retriever takes `namespace` and `fields` too')
  }
  return problem('texts', 'the namespace holds nothing', 'fill it, or choose another with --namespace')
}

/** The message of a command-line error. @throws any other error */
export function saidBy(thrown: unknown): string {
  if (thrown instanceof CommandError) return thrown.message
  throw thrown
}
