/** Sends a question and receives the answer: the verdict first, then the text as it is generated. */
import { credentials } from './access.js'
import { VERDICTS } from './elements.js'

/** Maximum time without data, before the answer and between its parts. */
const SILENCE_MS = 60_000

/** Why an answer is incomplete; with the gate's code and request id if it gave them. */
export class Incomplete extends Error {
  /** @param {string} message @param {{ code?: string, request_id?: string }} [error] */
  constructor(message, { code, request_id: requestId } = {}) {
    super(message)
    this.code = code
    this.requestId = requestId
  }
}

/**
 * Sends a question to a collection. It requests a stream, but accepts a complete answer.
 *
 * @param stop aborts it
 * @returns data `about` the answer, `headers`, and the text in `pieces`, which throw `Incomplete`; or an `error`
 */
export async function send(question, of, stop) {
  const silence = startSilence()
  try {
    const response = await fetch('/ask', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...credentials() },
      body: JSON.stringify(of === 'default' ? { question } : { question, collection: of }),
      signal: AbortSignal.any([stop, silence.signal]),
    })
    const { headers } = response
    if (headers.get('content-type')?.startsWith('text/event-stream')) {
      const events = eventsIn(response.body.getReader(), silence)
      const { value: first } = await events.next()
      if (isVerdict(first?.rag_gate)) return { about: first.rag_gate, headers, pieces: piecesIn(events, stop, silence) }
      return { error: errorFrom(response, first) }
    }
    const body = await readJson(response)
    silence.end()
    if (response.ok && isVerdict(body) && typeof body.answer === 'string')
      return { about: body, headers, pieces: [body.answer] }
    return { error: errorFrom(response, body) }
  } catch {
    silence.end()
    return { error: silence.signal.aborted ? LATE : UNREACHABLE }
  }
}

const LATE = {
  title: 'The gate took too long',
  message: `There was no answer within ${SILENCE_MS / 1000} seconds.`,
}
const UNREACHABLE = {
  title: 'The gate cannot be reached',
  message: 'Check the connection, and that the Worker is running.',
}

/** Aborts after too long without data. */
function startSilence() {
  const late = new AbortController()
  let timer
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(() => late.abort(), SILENCE_MS)
  }
  heard()
  return { signal: late.signal, heard, end: () => clearTimeout(timer) }
}

const isVerdict = (about) => Object.hasOwn(VERDICTS, about?.verdict ?? '')

/** The data of the events, each a line of JSON. Ends with the final event, and throws without it. */
async function* eventsIn(reader, silence) {
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Incomplete('The connection broke off.')
    silence.heard()
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      if (line === 'data: [DONE]') return
      if (line.startsWith('data: ')) yield JSON.parse(line.slice(6))
    }
  }
}

async function* piecesIn(events, stop, silence) {
  try {
    let reason
    for await (const { choices: [choice] = [], error } of events) {
      if (error !== undefined) throw new Incomplete(`${error.message}.`, error)
      reason = choice?.finish_reason ?? reason
      const words = choice?.delta?.content
      if (words) yield words
    }
    if (reason === 'length') throw new Incomplete('The model did not get to its end.')
  } catch (thrown) {
    if (stop.aborted) throw new Incomplete('You stopped it.')
    if (silence.signal.aborted) throw new Incomplete(`Nothing came for ${SILENCE_MS / 1000} seconds.`)
    throw thrown instanceof Incomplete ? thrown : new Incomplete('The connection broke off.')
  } finally {
    silence.end()
  }
}

async function readJson(response) {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorFrom({ status, headers }, body) {
  const { code, message, request_id: requestId } = body?.error ?? {}
  return {
    title: status >= 400 && status < 500 ? 'The gate did not take this question' : 'The gate could not answer',
    message: message ?? 'The answer could not be read.',
    status,
    code,
    requestId,
    retryAfter: headers.get('retry-after'),
  }
}
