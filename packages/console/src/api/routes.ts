/** Every route of the console, under the path it is mounted at, and who serves it. */
import type { ConsoleContext } from './context.ts'
import { deleteSubject } from './delete-subject.ts'
import { getFeedback, getLabels, postFeedback, putLabel } from './feedback.ts'
import { followDecisions } from './follow-decisions.ts'
import { getAlerts } from './get-alerts.ts'
import { getDecision, listDecisions } from './get-decisions.ts'
import { getAuditTrail, getPolicies } from './get-policies.ts'
import { getContentGaps, getDocumentTrends, getStatistics } from './get-stats.ts'
import { postReplay } from './replay.ts'

/** A route: method, path in Hono's words, and who serves it. */
export type ConsoleRoute = readonly [method: string, path: string, handler: (c: ConsoleContext) => Promise<Response>]

export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  ['GET', '/stats', getStatistics],
  ['GET', '/stats/content-gaps', getContentGaps],
  ['GET', '/stats/documents', getDocumentTrends],
  ['GET', '/decisions', listDecisions],
  ['GET', '/decisions/live', followDecisions],
  ['GET', '/decisions/:id', getDecision],
  ['PUT', '/decisions/:id/label', putLabel],
  ['GET', '/policies', getPolicies],
  ['GET', '/alerts', getAlerts],
  ['GET', '/audit', getAuditTrail],
  ['POST', '/replay', postReplay],
  ['GET', '/labels', getLabels],
  ['GET', '/feedback', getFeedback],
  ['POST', '/feedback', postFeedback],
  ['DELETE', '/subjects/:id', deleteSubject],
]
