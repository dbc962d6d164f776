import { AnswerRoom } from '../answer-room.ts'
import type { AnsweredRow } from '../answered-row.ts'
import type { EmbeddedIndex } from '../embedded-index.ts'
import * as field from '../fields.ts'
import { answerQuery, parseQuery, type QueryCommand } from '../query.ts'
import type { Command, CommandRequest } from './command.ts'

/** `query`: rows near to vectors. */
export const query: Command = (index, request) => answerQueries(index, request, 'query')

/** `query-data`: rows near to a text. */
export const queryData: Command = (index, request) => answerQueries(index, request, 'query-data')

/** A list for one query, also when it comes in a list; a list of lists for several. */
function answerQueries(
  index: EmbeddedIndex,
  { namespace, body }: CommandRequest,
  command: QueryCommand,
): readonly AnsweredRow[] | readonly (readonly AnsweredRow[])[] {
  const queries = field.objects(body).map((fields) => parseQuery(index.settings, fields, command))
  const room = new AnswerRoom()
  const answers = queries.map((asked) => answerQuery(index, namespace, asked, { candidates: 'more', room }))
  const [only] = answers
  return answers.length === 1 && only !== undefined ? only : answers
}
