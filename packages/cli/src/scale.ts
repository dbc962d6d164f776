/** `rag-gate scale`: learns the scale of an index that others filled from its own passages, without labels. */
import { writeFile } from 'node:fs/promises'
import { seededRandom } from '@hono-rag-gate/calibration'
import { learnScale } from '@hono-rag-gate/ingest'
import { createOpenAiEmbedder } from '@hono-rag-gate/models/openai-embedder'
import { DEFAULT_POLICY } from '@hono-rag-gate/presets'
import { createUpstashRetriever } from '@hono-rag-gate/upstash'
import { createStaticCollections } from 'hono-rag-gate/adapters/static-collections'
import type { IndexRow, PassageFields } from '@hono-rag-gate/upstream/rows'
import type { Passage } from 'hono-rag-gate/core/evidence'
import { type Policy, readsScale } from 'hono-rag-gate/core/policy'
import type { CollectionScale } from 'hono-rag-gate/core/scale'
import { isRagGateError } from 'hono-rag-gate/errors'
import { CommandError, misused, notWritten, requireWritable } from './command-error.ts'
import { command, wholeNumber } from './command.ts'
import { type UpstashAddress, upstashRows } from './list-index-rows.ts'
import { policyOf } from './policy-of.ts'
import { readText } from './read-lines.ts'
import { jsonText, type Terminal } from './terminal.ts'
import { INDEX_OPTIONS, passageIn, namedUpstash, withoutAnyText } from './which-index.ts'

/** Number of passages to draw windows from. */
const SAMPLE = 400
const TIMEOUT_MS = 15_000

/** The command. */
export const scaleCommand = command({
  name: 'scale',
  about: 'Learns the scale of an Upstash index that others filled, for createStaticCollections([{ id, scale }])',
  usage: [
    'scale [--out <file>] [--lexicon <file>] [--policy <name|policy.json>] [--namespace <name>] [--text <member>]',
    'scale --embedder <address> --embedding-model <name> --dimension <n> [--out <file>]',
  ],
  notes: [
    'Give it what the app gives its gate: policy, lexicon, namespace, corpus version. The scale counts under that policy,',
    'with any thresholds, and embedding alone. No labels are needed, and nothing is promised: `rag-gate calibrate` does that.',
    'Upstash: --index and --token, else UPSTASH_VECTOR_REST_URL and UPSTASH_VECTOR_REST_TOKEN, also of .dev.vars. An index',
    'with vectors of your own needs the OpenAI-compatible endpoint that made them; its key is in EMBEDDING_API_KEY.',
    'Over Vectorize call learnScale of @hono-rag-gate/ingest in a Worker. Without --out the scale is printed.',
  ],
  options: {
    out: { type: 'string', value: 'file', about: 'where the scale is written, as JSON' },
    ...INDEX_OPTIONS,
    policy: { type: 'string', value: 'file|name', about: `which policy reads it; ${DEFAULT_POLICY}` },
    lexicon: { type: 'string', value: 'file', about: 'what `rag-gate lexicon` wrote, where the app uses it' },
    'corpus-version': { type: 'string', value: 'n', about: 'that of the collection; 1' },
    windows: {
      type: 'string',
      value: 'n',
      about: 'how many windows are asked, one search each; 100, and half as many sentences if the index has cosines',
    },
    seed: { type: 'string', value: 'n', about: 'which passages and windows are drawn; 1' },
    embedder: {
      type: 'string',
      value: 'address',
      about: 'endpoint that embeds questions, with its version: https://host/v1',
    },
    'embedding-model': { type: 'string', value: 'name', about: 'its model' },
    dimension: { type: 'string', value: 'n', about: 'length of its vectors' },
  },
  async run({ terminal, words, given, json }) {
    if (words.length > 0) throw misused('scale takes no words; which index is said by options')
    if (json && given.out === undefined) throw misused('--json needs --out: the scale itself is JSON')
    const policy = await policyOf(given.policy ?? DEFAULT_POLICY)
    if (given.out !== undefined) await requireWritable(given.out)
    if (!readsScale(policy)) throw misused(`${policy.name} uses no scale; balanced does`)
    const where = namedUpstash(given, terminal)
    const fields = given.text === undefined ? {} : { text: given.text }
    const seed = wholeNumber('--seed', given.seed, 1)
    const windows = wholeNumber('--windows', given.windows, 100)
    const corpusVersion = wholeNumber('--corpus-version', given['corpus-version'], 1)
    const embedder = embedderOf(given, terminal)
    const retriever = createUpstashRetriever({
      url: where.url,
      token: where.token,
      timeoutMs: TIMEOUT_MS,
      fields,
      ...(where.namespace !== '' && { namespace: where.namespace }),
      ...(embedder && { embedder }),
      onWarning: ({ message }) => terminal.note(message),
    })
    const lexicon = given.lexicon === undefined ? undefined : await readText(given.lexicon)
    const collections = createStaticCollections([{ id: 'default', corpusVersion, ...(lexicon && { lexicon }) }])
    const { passages, count } = await samplePassages(where, fields, seed, terminal)
    const learning = learn(policy, windows, terminal, {
      retriever,
      policy,
      passages,
      chunkCount: count,
      collections,
      // The collection created above.
      collection: (await collections.find('default', 'default'))!,
      retrieval: { timeoutMs: TIMEOUT_MS },
      windows,
      seed,
    })
    const scale = await learning
    if (scale.kind === 'none') {
      const windowsAsked = `windows of five words: ${scale.windows}`
      throw new CommandError(
        `${count} passages are too few for a scale, or too short (${windowsAsked}): the gate judges as it does without one`,
      )
    }
    const text = jsonText(scale)
    if (given.out === undefined) {
      terminal.out(text)
      return 0
    }
    const { out } = given
    await writeFile(out, `${text}\n`).catch(notWritten(out))
    const summary = {
      out,
      policy: policy.id,
      windows: scale.windows,
      passages: count,
      meaning: scale.meaning?.kind ?? null,
    }
    terminal.out(
      json
        ? jsonText(summary)
        : `${out}: learned from ${scale.windows} windows of ${count} passages, for ${policy.id}` +
            (scale.meaning === undefined ? '' : `, with ${scale.meaning.kind}`),
    )
    return 0
  },
})

/** Learns with a progress bar; errors are converted to command errors. */
async function learn(
  policy: Policy,
  windows: number,
  { progress }: Terminal,
  options: Parameters<typeof learnScale>[0],
): Promise<CollectionScale> {
  let asked = 0
  try {
    return await learnScale({
      ...options,
      isOver: () => {
        progress.show(Math.min(++asked, windows), windows, `windows asked under ${policy.name}`)
        return false
      },
    })
  } catch (thrown) {
    if (!isRagGateError(thrown)) throw thrown
    throw new CommandError(`The index cannot be searched: ${thrown.message} (${thrown.code})`)
  } finally {
    progress.end()
  }
}

/** A uniform random sample of the index's passages, and their total number. */
async function samplePassages(
  where: UpstashAddress,
  fields: PassageFields,
  seed: number,
  { progress }: Terminal,
): Promise<{ readonly passages: readonly Passage[]; readonly count: number }> {
  const random = seededRandom(seed)
  const passages: Passage[] = []
  let count = 0
  let rows = 0
  let example: IndexRow | undefined
  try {
    for await (const page of upstashRows(where)) {
      for (const row of page.rows) {
        const passage = passageIn(row, fields)
        if (passage === undefined) {
          example ??= row
          continue
        }
        const at = count++ < SAMPLE ? passages.length : Math.floor(random() * count)
        if (at < SAMPLE) passages[at] = passage
      }
      rows += page.rows.length
      progress.show(rows, page.total, `${rows} of ${page.total} rows`)
    }
  } finally {
    progress.end()
  }
  if (count === 0) throw withoutAnyText(example, fields)
  return { passages, count }
}

function embedderOf(
  given: Readonly<Record<'embedder' | 'embedding-model' | 'dimension', string | undefined>>,
  { env }: Terminal,
) {
  const { embedder: baseUrl, 'embedding-model': model, dimension } = given
  if (baseUrl === undefined && model === undefined && dimension === undefined) return undefined
  if (baseUrl === undefined || model === undefined || dimension === undefined) {
    throw misused('--embedder, --embedding-model and --dimension go together')
  }
  const apiKey = env['EMBEDDING_API_KEY']
  if (apiKey === undefined) throw misused('--embedder needs EMBEDDING_API_KEY')
  return createOpenAiEmbedder({
    baseUrl,
    model,
    apiKey,
    dimension: wholeNumber('--dimension', dimension, 0),
    timeoutMs: TIMEOUT_MS,
  })
}
