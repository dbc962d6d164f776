/** Messages as people write them to an assistant, with something around the question. */
import { readFileSync } from 'node:fs'

/** Messages; `{Question?}` stands for the question with its mark, `{question}` for it with a small letter and without mark. */
interface Messages {
  /** Used for the rules of small talk. */
  readonly used: readonly string[]
  /** Written independently, and not read while the rules were made. */
  readonly heldOut: readonly string[]
}

export const CHAT_MESSAGES = JSON.parse(
  readFileSync(new URL('chat-messages.json', import.meta.url), 'utf8'),
) as Messages

/** How far apart the messages of neighbouring questions are; prime, so that all are used. */
const STEP = 31

/** Puts a question into one of the messages, by its position in its set. */
export function inMessage(messages: readonly string[], question: string, at: number): string {
  const bare = question.replace(/[.?!\s]+$/, '')
  return messages[(at * STEP) % messages.length]!.replace('{Question?}', () => `${bare}?`).replace(
    '{question}',
    () => bare.charAt(0).toLowerCase() + bare.slice(1),
  )
}
