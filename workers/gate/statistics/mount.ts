/** The routes of the statistics. */
import type { Hono } from 'hono'
import type { GateBindings } from '../bindings.ts'
import { getAlerts } from './alerts.ts'
import { deleteSubject } from './delete-subject.ts'
import { feedbackHeader, getFeedback, postFeedback, putLabel } from './feedback.ts'
import { getDecision, listDecisions } from './get-decisions.ts'
import { getAuditTrail, getPolicies } from './get-policies.ts'
import { postReplay } from './replay.ts'
import { getContentGaps, getDocumentTrends, getStatistics } from './get-stats.ts'

/** What each path allows. */
export const STATISTICS_ROUTES: Readonly<Record<string, string>> = {
  '/v1/stats': 'GET',
  '/v1/stats/content-gaps': 'GET',
  '/v1/stats/documents': 'GET',
  '/v1/decisions': 'GET',
  '/v1/decisions/:id': 'GET',
  '/v1/policies': 'GET',
  '/v1/alerts': 'GET',
  '/v1/audit': 'GET',
  '/v1/replay': 'POST',
  '/v1/decisions/:id/label': 'PUT',
  '/v1/feedback': 'GET, POST',
  '/v1/subjects/:id': 'DELETE',
}

/**
 * Mounts them, before the gate's own route: what the gate answers gets its signed id. Every handler asks for the scope
 * itself, before it looks at anything else.
 */
export function mountStatistics(app: Hono<{ Bindings: GateBindings }>): void {
  app.use('/ask', feedbackHeader)
  app.get('/v1/stats', getStatistics)
  app.get('/v1/stats/content-gaps', getContentGaps)
  app.get('/v1/stats/documents', getDocumentTrends)
  app.get('/v1/decisions', listDecisions)
  app.get('/v1/decisions/:id', getDecision)
  app.get('/v1/policies', getPolicies)
  app.get('/v1/alerts', getAlerts)
  app.get('/v1/audit', getAuditTrail)
  app.post('/v1/replay', postReplay)
  app.put('/v1/decisions/:id/label', putLabel)
  app.get('/v1/feedback', getFeedback)
  app.post('/v1/feedback', postFeedback)
  app.delete('/v1/subjects/:id', deleteSubject)
}
