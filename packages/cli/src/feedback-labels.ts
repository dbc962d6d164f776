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
  usage: ['labels [--collection <id>] [--from <time>] [--out <file>]'],
  notes: [
    'A question is labelled by the latest word on it; what a reviewer says counts before what a user says. Only questions',
    'whose text the gate keeps can be written: STORE_QUESTIONS_DAYS. The key needs the scope admin.',
  ],
  options: {
    collection: { type: 'string', value: 'id', about: 'one collection; all of them otherwise' },
    from: { type: 'string', value: 'time', about: 'since when, ISO 8601; 90 days ago otherwise' },
    out: { type: 'string', value: 'file', about: 'where they are written; printed otherwise' },
  },
  async run({ terminal: { out, note }, words, given, json, gate }) {
    if (words.length > 0) throw misused('labels takes no words')
    const { collection, from, out: path } = given
    const query = new URLSearchParams({
      ...(collection === undefined ? {} : { collection }),
      ...(from === undefined ? {} : { from }),
    })
    const reply = await callGate<Labels>(gate(), 'GET', `/v1/labels?${query}`)
    const { labels, without_text: lost } = requireForm(reply, {
      labels: [{ question: 'string', answerable: 'boolean' }],
      without_text: 'number',
    })
    const lines = labels.map((label) => JSON.stringify(label))
    // A file that is there is not replaced by an empty one.
    if (path !== undefined && labels.length > 0) await writeFile(path, `${lines.join('\n')}\n`).catch(notWritten(path))
    const answerable = labels.filter((label) => label.answerable).length
    const counts = `${labels.length} labels, ${answerable} answerable, ${labels.length - answerable} not`
    if (json)
      out(jsonText(path === undefined ? labels : { out: path, labels: labels.length, answerable, without_text: lost }))
    else if (path === undefined) lines.forEach((line) => out(line))
    else if (labels.length > 0) out(`${path}: ${counts}`)
    if (labels.length + lost === 0) note('No answer or refusal has been rated yet: nothing is written.')
    if (lost > 0) note(`${lost} ratings are left out, because the texts of their questions are not kept.`)
    return labels.length > 0 ? 0 : 1
  },
})
