/**
 * Quoted answers to be read by eye: ingests a folder of Markdown as the Worker would, asks the questions of a file, one a
 * line, and prints the verdict, the closest passages and the answer of each.
 *
 * npm run bench:quotes -- <folder> <questions.txt>
 */
import { globSync, readFileSync } from 'node:fs'
import { createExtractiveGenerator } from '../src/adapters/extractive-generator.ts'
import { bestQuote } from '../src/adapters/extractive-generator/quotes.ts'
import { createMarkdownSplitter } from '../src/adapters/markdown-splitter.ts'
import { createUpstashChunkIndex, createUpstashRetriever } from '../src/adapters/upstash-vector.ts'
import type { Passage } from '../src/core/evidence/chunk.ts'
import { buildContext } from '../src/core/evidence/context.ts'
import { fuseConvex } from '../src/core/evidence/fusion.ts'
import { judge } from '../src/core/policy/judge.ts'
import { measure } from '../src/core/signals/measure.ts'
import { buildLexicon, idfMass } from '../src/core/text/lexicon.ts'
import { terms } from '../src/core/text/terms.ts'
import { balanced } from '../src/presets/balanced/balanced.ts'
import { embeddedIndex } from '../test/fixtures/embedded-index.ts'

const TOP_K = 10
const CANDIDATES = 30

const [folder, questionFile] = process.argv.slice(2)
if (folder === undefined || questionFile === undefined) throw new Error('Which folder, and which file of questions?')
const questions = readFileSync(questionFile, 'utf8').split('\n').filter(Boolean)
const splitter = createMarkdownSplitter()
const files = globSync('**/*.{md,mdx}', { cwd: folder })
const passages = (await Promise.all(files.map((file) => passagesOf(file, folder)))).flat()
const lexicon = buildLexicon(passages.map(({ text }) => text))
const where = { url: 'https://index.invalid', fetch: embeddedIndex() }
await createUpstashChunkIndex(where).upsert('n1', passages)
const retriever = createUpstashRetriever(where)
const generator = createExtractiveGenerator()
console.log(`${passages.length} passages, ${questions.length} questions\n`)

for (const [at, question] of questions.entries()) {
  const { signal } = new AbortController()
  const facts = { tenant: 'acme', collection: 'docs', namespace: 'n1', question, topK: CANDIDATES, signal }
  const evidence = fuseConvex(await retriever.retrieve(facts), {
    idfMass: idfMass(lexicon, terms(question)),
    topK: TOP_K,
  })
  const { verdict } = judge(balanced(), measure(question, evidence, lexicon))
  const { chunks, text: context } = buildContext(evidence.chunks, { maxCharacters: 12_000 })
  const { text } = await generator.generate({ question, chunks, context, signal })
  const found = chunks.slice(0, 3).map(({ documentId, section }) => `${documentId} › ${section ?? ''}`)

  console.log(
    `## ${at + 1}. ${question}  (${verdict}, fit ${bestQuote(question, chunks, 3)?.fit.toFixed(2)}, top ${chunks[0]?.scores.convex?.toFixed(2)})\n${found.join(' | ')}\n\n${text}\n`,
  )
}

async function passagesOf(file: string, base: string): Promise<Passage[]> {
  const [, front = '', body = ''] = /^(?:---\n(.*?)\n---\n)?(.*)$/s.exec(readFileSync(`${base}/${file}`, 'utf8')) ?? []
  const title = /^title: *["']?(.*?)["']? *$/m.exec(front)?.[1] ?? /^# +(.*)$/m.exec(body)?.[1] ?? file
  const { parts } = await splitter.split(body, 'markdown')
  return parts.map(({ text, section }, part) => ({
    id: `${file}#${part}`,
    documentId: file,
    title,
    text,
    ...(section === undefined ? {} : { section }),
  }))
}
