/** Corpus of the soak test: a real question set if one is present, otherwise this project's own docs. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GateDocument } from '../../packages/cli/src/gate-client.ts'
import { docsCorpus } from '../../scripts/docs-corpus.ts'
import { ROOT } from '../../scripts/local-gate.ts'

/** Documents, and answerable and unanswerable questions about them. */
export interface SoakCorpus {
  readonly name: string
  readonly documents: readonly GateDocument[]
  readonly questions: readonly string[]
}

const SET = join(ROOT, '..', 'shared', 'data', 'squad-ooc')

const OFF_TOPIC = [
  'What is the weather in Chicago?',
  'Which river flows through the capital of Peru?',
  'How many players has a cricket team?',
  'When was the Battle of Hastings?',
  '¿Cuál es la capital de Francia?',
  '日本の首都はどこですか',
  'asdf qwer zxcv',
  'why',
]

export function readSoakCorpus(): SoakCorpus {
  return existsSync(SET) ? readQuestionSet() : readDocs()
}

function readQuestionSet(): SoakCorpus {
  const passages = readLines<{ id: string; title: string; text: string }>('corpus.jsonl')
  return {
    name: 'squad-ooc',
    documents: passages.map(({ id, title, text }) => ({ id, title, text, format: 'text' })),
    questions: readLines<{ question: string }>('questions.jsonl').map(({ question }) => question),
  }
}

function readLines<Row>(name: string): Row[] {
  const lines = readFileSync(join(SET, name), 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Row)
}

function readDocs(): SoakCorpus {
  const documents = docsCorpus()
  const headings = documents.flatMap(({ text }) => [...text.matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? ''))
  const asked = headings.flatMap((heading) => [`What is said about ${heading}?`, `How does ${heading} work?`])
  return { name: 'docs', documents, questions: [...asked, ...OFF_TOPIC] }
}
