/** The reasoning that models of endpoints without a parser for it write before their answer. */

const OPENING = '<think>'
const CLOSING = '</think>'

/** Removes the reasoning from a reply that arrives in pieces. */
export interface ReasoningFilter {
  /** The text of the answer in the next piece; empty while it is not known whether the reply begins with reasoning. */
  next(piece: string): string
  /**
   * The text that is withheld at the end: all of a reply with an opening tag alone, if it ended with `stop`, because then it
   * is an answer. Otherwise it is reasoning that was cut off.
   */
  rest(finishReason: unknown): string
}

/** Reasoning is recognised only at the beginning, because an answer may be about these tags. */
export function createReasoningFilter(): ReasoningFilter {
  let part: 'start' | 'reasoning' | 'gap' | 'answer' = 'start'
  let reply = ''
  /** The end of the reply in which a tag may begin. */
  let open = ''
  return {
    next(piece) {
      if (part === 'answer') return piece
      reply += piece
      open += piece
      if (part === 'start') {
        const start = open.trimStart()
        if (OPENING.startsWith(start)) return ''
        part = start.startsWith(OPENING) ? 'reasoning' : 'answer'
        if (part === 'answer') return open
      }
      if (part === 'reasoning') {
        const end = open.indexOf(CLOSING)
        if (end === -1) {
          open = open.slice(1 - CLOSING.length)
          return ''
        }
        open = open.slice(end + CLOSING.length)
        part = 'gap'
      }
      open = open.trimStart()
      if (open !== '') part = 'answer'
      return open
    },
    rest: (finishReason) => (part === 'start' || (part === 'reasoning' && finishReason === 'stop') ? reply : ''),
  }
}

/** Before the answer; some models write the closing tag alone. */
const REASONING = /^(?:[^]*<\/think>|\s*<think>[^]*)/

/** A whole reply without its reasoning, which may hold other grades or questions than the answer; '' for reasoning alone. */
export function withoutReasoning(reply: string): string {
  return reply.replace(REASONING, '')
}
