/** Writes questions with the user's own model, which also checks that each is answerable from its passage alone. */
import { withoutReasoning } from '@hono-rag-gate/models/reasoning'
import { CommandError } from './command-error.ts'

/** An OpenAI-compatible endpoint. */
export interface QuestionModel {
  /** URL up to but without `/chat/completions`. */
  readonly baseUrl: string
  readonly apiKey?: string
  readonly model: string
  /** Sent with each request; endpoints may ignore it. */
  readonly seed: number
}

/** Changes with the prompts, and is recorded with every question. */
export const QUESTION_PROMPT_VERSION = 'questions/1'

const WRITE = `Write one or two questions that a person might ask who has not seen the passage, and that the passage alone answers fully. Use other words than the passage where you can. Do not mention the passage. One question a line, nothing else.`
const CHECK = `Answer with the single word yes or no: does the passage alone answer the question fully?`
const DEADLINE_MS = 120_000
const MOST_BYTES = 1_000_000

/** Writes at most two questions for a passage, and returns those that the model confirms the passage answers. */
export async function writeQuestions(model: QuestionModel, passage: string): Promise<readonly string[]> {
  const written = await complete(model, WRITE, `<passage>\n${passage}\n</passage>`)
  const questions = written
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\d+[.)]|[-*])\s*/, '').trim())
    .filter((line) => line.endsWith('?') && line.length <= 300)
    .slice(0, 2)
  const kept: string[] = []
  for (const question of questions) {
    const said = await complete(model, CHECK, `<passage>\n${passage}\n</passage>\n<question>${question}</question>`)
    if (/^\W*yes\b/i.test(said)) kept.push(question)
  }
  return kept
}

async function complete(
  { baseUrl, apiKey, model, seed }: QuestionModel,
  system: string,
  user: string,
): Promise<string> {
  const ask = (sampling: object): Promise<Response> =>
    fetch(`${baseUrl.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        seed,
        ...sampling,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
      }),
    })
  let response: Response
  let text: string
  try {
    response = await ask({ temperature: 0 })
    // Reasoning models of OpenAI accept no temperature.
    if (response.status === 400) response = await ask({})
    text = await response.text()
  } catch (thrown) {
    throw new CommandError('The model did not answer: is LLM_BASE_URL right?', { cause: thrown })
  }
  if (!response.ok) throw new CommandError(`The model answered with status ${response.status}`)
  try {
    if (text.length > MOST_BYTES) throw new Error('too long')
    const { choices } = JSON.parse(text) as { choices: { message: { content: string } }[] }
    const content = choices[0]?.message.content
    if (typeof content === 'string') return withoutReasoning(content)
  } catch {
    // The error below.
  }
  throw new CommandError('The model answered with something that is no chat completion')
}
