/** All routes of the console with their handlers; paths are relative to its mount path. */
import type { ConsoleContext } from './context.ts'
import { deleteSubject } from './delete-subject.ts'
import { getFeedback, getLabels, postFeedback, putLabel } from './feedback.ts'
import { followDecisions } from './follow-decisions.ts'
import { getAlerts } from './get-alerts.ts'
import { getDecision, listDecisions } from './get-decisions.ts'
import { getAuditTrail, getPolicies } from './get-policies.ts'
import { getContentGaps, getDocumentTrends, getStatistics } from './get-stats.ts'
import { postReplay } from './replay.ts'

/** A route: method, path pattern of Hono, and handler. */
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
