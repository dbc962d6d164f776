/** Calls `gateQuestion` for a question of a question set: its request, ports, and settings with long timeouts. */
import type { QuestionPorts, QuestionRequest, QuestionSettings } from '../../src/pipeline/question-settings.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import type { SearchableSet } from './question-sets.ts'

/** Name of tenant, collection and principal. */
export const BENCH = 'bench'

/** The default policy over ten passages. */
export const SETTINGS: QuestionSettings = {
  policy: () => balanced(),
  mode: 'enforce',
  rules: [],
  retrieval: {
    topK: 10,
    timeoutMs: 60_000,
  },
  context: { maxLength: 12_000 },
}

/** @param question normalised */
export function asked(question: string): QuestionRequest {
  return {
    question,
    collection: BENCH,
    principal: { tenant: BENCH, id: BENCH, scopes: ['ask'] },
    audience: 'public',
  }
}

/** Ports that search a set as version `corpusVersion` of the collection in `asked`. */
export function portsOver(
  { lexicon, search }: Pick<SearchableSet, 'lexicon' | 'search'>,
  corpusVersion = 1,
): QuestionPorts {
  const collection = {
    tenant: BENCH,
    id: BENCH,
    corpusVersion,
    lexiconId: `lexicon-${corpusVersion}`,
    embeddingModel: '',
    dimension: 0,
    policyId: null,
    unpublishedChunkIds: [],
  }
  return {
    clock: { nowMs: () => 0 },
    collections: { find: async () => collection, lexicon: async () => lexicon },
    retriever: { retrieve: async ({ question, topK }) => search(question, topK) },
  }
}
