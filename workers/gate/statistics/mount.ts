/** The routes of the statistics. */
import type { Hono } from 'hono'
import type { GateBindings } from '../bindings.ts'
import { deleteSubject } from './delete-subject.ts'
import { getDecision, listDecisions } from './get-decisions.ts'
import { getAuditTrail, getPolicies } from './get-policies.ts'
import { getContentGaps, getDocumentTrends, getStatistics } from './get-stats.ts'

/** What each path allows. */
export const STATISTICS_ROUTES: Readonly<Record<string, string>> = {
  '/v1/stats': 'GET',
  '/v1/stats/content-gaps': 'GET',
  '/v1/stats/documents': 'GET',
  '/v1/decisions': 'GET',
  '/v1/decisions/:id': 'GET',
  '/v1/policies': 'GET',
  '/v1/audit': 'GET',
  '/v1/subjects/:id': 'DELETE',
}

/** Mounts them. Every handler asks for the scope itself, before it looks at anything else. */
export function mountStatistics(app: Hono<{ Bindings: GateBindings }>): void {
  app.get('/v1/stats', getStatistics)
  app.get('/v1/stats/content-gaps', getContentGaps)
  app.get('/v1/stats/documents', getDocumentTrends)
  app.get('/v1/decisions', listDecisions)
  app.get('/v1/decisions/:id', getDecision)
  app.get('/v1/policies', getPolicies)
  app.get('/v1/audit', getAuditTrail)
  app.delete('/v1/subjects/:id', deleteSubject)
}
