/** `rag-gate questions`: drafts labelled questions from documents, for a person to review and complete. */
import { writeFile } from 'node:fs/promises'
import { seededRandom } from '@hono-rag-gate/calibration'
import { CommandError, misused, notWritten, requireWritable } from './command-error.ts'
import { command, only, wholeNumber } from './command.ts'
import { type DraftedQuestion, draftQuestions } from './draft-questions.ts'
import type { GateDocument } from './gate-client.ts'
import { listFiles } from './list-files.ts'
import { QUESTION_PROMPT_VERSION, type QuestionModel, writeQuestions } from './model-questions.ts'
import { readDocuments } from './read-documents.ts'
import { jsonText, type Terminal } from './terminal.ts'

/** A line of the draft. */
interface DraftedLabel {
  readonly question: string
  readonly answerable: true
  readonly relevant_ids: readonly string[]
  readonly kind: string
  readonly collection?: string
  readonly written_by?: string
}

/** The command. */
export const questionsCommand = command({
  name: 'questions',
  about: 'Drafts labelled questions from documents: from headings, titles and FAQs, or with your own model.',
  usage: ['questions <folder or file> [--count 50] [--out questions.jsonl] [--model <name>]'],
  notes: [
    'Read them before you use them. Questions made of headings share the words of their passage, so that they are easier',
    'than those of people, and thresholds learned from them are no promise for real ones. Questions that must be refused',
    'are not drafted: write them, or use `rag-gate calibrate --hidden-gold`.',
    'With --model: LLM_BASE_URL and LLM_API_KEY name an OpenAI-compatible endpoint.',
  ],
  options: {
    count: { type: 'string', value: 'n', about: 'how many, drawn evenly over the documents; 50' },
    seed: { type: 'string', value: 'n', about: 'which are drawn, and what the model is seeded with; 1' },
    out: { type: 'string', value: 'file', about: 'where they are written; printed otherwise' },
    collection: { type: 'string', value: 'id', about: 'noted in each' },
    model: { type: 'string', value: 'name', about: 'a model that writes one or two for each passage, and checks them' },
  },
  async run({ terminal, words, given, json }) {
    const path = only(words, 'a folder or a file of documents')
    const count = wholeNumber('--count', given.count, 50)
    const seed = wholeNumber('--seed', given.seed, 1)
    const { files } = await listFiles(path)
    if (given.out !== undefined) await requireWritable(given.out)
    const documents: GateDocument[] = []
    for (const file of files) {
      for await (const read of readDocuments(file)) {
        if (read.kind === 'document' && hasText(read.document)) documents.push(read.document)
      }
    }
    if (documents.length === 0) throw new CommandError(`${path} holds no document that can be read`)
    const noted = given.collection === undefined ? {} : { collection: given.collection }
    const drawn = shuffled(documents, seededRandom(seed))
    const model = given.model === undefined ? undefined : modelOf(given.model, seed, terminal)
    const drafted = model === undefined ? fromHeadings(drawn, count) : await written(drawn, count, model, terminal)
    const { failure } = drafted
    const labels = drafted.labels.map((label) => ({ ...label, ...noted }))
    if (labels.length === 0) throw failure ?? new CommandError(model === undefined ? NO_HEADINGS : NOT_ANSWERED)
    const lines = labels.map((label) => JSON.stringify(label)).join('\n')
    const { out } = given
    if (out === undefined) terminal.out(json ? jsonText(labels) : lines)
    else {
      await writeFile(out, `${lines}\n`).catch(notWritten(out))
      const summary = { out, questions: labels.length, documents: documents.length }
      terminal.out(json ? jsonText(summary) : `${out}: ${labels.length} questions from ${documents.length} documents`)
    }
    const pages = documents.filter(({ format }) => format === 'html').length
    if (pages > 0 && model === undefined) {
      terminal.note(`${pages} of ${documents.length} documents are HTML, whose headings are not read here.`)
    }
    if (failure !== undefined) terminal.note(`${failure.message}\nThe questions written before are kept.`)
    terminal.note('Read them, and take out what people would not ask. Then add questions that must be refused.')
    return failure === undefined ? 0 : 1
  },
})

const NO_HEADINGS = 'No question could be drafted: no Markdown, MDX or text has headings, titles or questions'
const NOT_ANSWERED = 'The model wrote no question that its passage answers'

/** Drafted questions. */
interface Drafted {
  readonly labels: readonly DraftedLabel[]
  /** Why there are no more. */
  readonly failure?: CommandError
}

function fromHeadings(documents: readonly GateDocument[], count: number): Drafted {
  const byDocument = documents.map((document) =>
    bestFirst(document.format === 'html' ? [] : draftQuestions(document)).map(({ question, kind }) => ({
      question,
      answerable: true as const,
      relevant_ids: [document.id],
      kind,
    })),
  )
  return { labels: oneOfEach(byDocument, count) }
}

/** Lines of JSONL are objects with an id; the gate checks the rest of them. */
function hasText({ text, title = '' }: GateDocument): boolean {
  return typeof text === 'string' && typeof title === 'string'
}

const PASSAGE_CHARACTERS = 4000

async function written(
  documents: readonly GateDocument[],
  count: number,
  model: QuestionModel,
  { progress }: Terminal,
): Promise<Drafted> {
  const labels: DraftedLabel[] = []
  try {
    for (const { id, text } of documents) {
      if (labels.length >= count) break
      const questions = await writeQuestions(model, text.slice(0, PASSAGE_CHARACTERS))
      for (const question of questions) {
        const by = `${model.model}, ${QUESTION_PROMPT_VERSION}, seed ${model.seed}`
        labels.push({ question, answerable: true, relevant_ids: [id], kind: 'model', written_by: by })
      }
      progress.show(Math.min(count, labels.length), count, `${labels.length} of ${count} questions`)
    }
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown
    return { labels, failure: thrown }
  } finally {
    progress.end()
  }
  return { labels: labels.slice(0, count) }
}

/** Sorts by similarity to what people ask: the document's own questions first, titles last. */
function bestFirst(drafted: readonly DraftedQuestion[]): DraftedQuestion[] {
  const order: readonly DraftedQuestion['kind'][] = ['faq', 'heading', 'title']
  return [...drafted].sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))
}

/** Takes questions round-robin, one of each document at a time. */
function oneOfEach(byDocument: readonly (readonly DraftedLabel[])[], count: number): DraftedLabel[] {
  const longest = Math.max(0, ...byDocument.map(({ length }) => length))
  const seen = new Set<string>()
  const taken: DraftedLabel[] = []
  for (let round = 0; round < longest; round++) {
    for (const those of byDocument) {
      const label = those[round]
      // A heading that occurs in many documents is not specific to any.
      if (label === undefined || seen.has(label.question.toLowerCase()) || taken.length >= count) continue
      seen.add(label.question.toLowerCase())
      taken.push(label)
    }
  }
  return taken
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}

function modelOf(model: string, seed: number, { env }: Terminal): QuestionModel {
  const { LLM_BASE_URL: baseUrl, LLM_API_KEY: apiKey } = env
  if (baseUrl === undefined || !URL.canParse(baseUrl)) throw misused('--model needs LLM_BASE_URL, an http(s) address')
  return { baseUrl, model, seed, ...(apiKey === undefined ? {} : { apiKey }) }
}
