/** `rag-gate labels`: exports user feedback on answers and refusals as labelled questions. */
import { writeFile } from 'node:fs/promises'
import { misused, notWritten } from './command-error.ts'
import { command } from './command.ts'
import { callGate, requireForm } from './gate-client.ts'
import { jsonText } from './terminal.ts'

interface Labels {
  readonly labels: readonly { readonly answerable: boolean }[]
  readonly without_text: number
}

/** The command. */
export const labelsCommand = command({
  name: 'labels',
  about: 'Writes what people said of answers and refusals as labelled questions, for eval and calibrate.',
  usage: ['labels [--collection <id>] [--from <time>] [--out labels.jsonl]'],
  notes: [
    'A question is labelled by the latest word on it; what a reviewer says counts before what a user says. Only questions',
    'whose text the gate keeps can be written: STORE_QUESTIONS_DAYS. The key needs the scope admin.',
  ],
  options: {
    collection: { type: 'string', value: 'id', about: 'one collection; all of them otherwise' },
    from: { type: 'string', value: 'time', about: 'since when, ISO 8601; 90 days ago otherwise' },
    out: { type: 'string', value: 'file', about: 'where they are written; labels.jsonl' },
  },
  async run({ terminal: { out, note }, words, given, json, gate }) {
    if (words.length > 0) throw misused('labels takes no words')
    const { collection, from, out: path = 'labels.jsonl' } = given
    const query = new URLSearchParams({
      ...(collection === undefined ? {} : { collection }),
      ...(from === undefined ? {} : { from }),
    })
    const reply = await callGate<Labels>(gate(), 'GET', `/v1/labels?${query}`)
    const { labels, without_text: lost } = requireForm(reply, {
      labels: [{ question: 'string', answerable: 'boolean' }],
      without_text: 'number',
    })
    await writeFile(path, labels.map((label) => `${JSON.stringify(label)}\n`).join('')).catch(notWritten(path))
    const answerable = labels.filter((label) => label.answerable).length
    const summary = { out: path, labels: labels.length, answerable, without_text: lost }
    if (json) out(jsonText(summary))
    else out(`${labels.length} labels in ${path}: ${answerable} answerable, ${labels.length - answerable} not`)
    if (labels.length + lost === 0) note('There is no label yet that says whether an answer or a refusal was right.')
    if (lost > 0) note(`${lost} more were said of questions whose text is not kept.`)
    return labels.length > 0 ? 0 : 1
  },
})
