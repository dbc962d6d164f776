/** What a backup holds while the database is in use. */
import { expect, test } from 'vitest'
import { save } from '../../scripts/backup.ts'
import { d1InMemory } from '../fixtures/d1-in-memory.ts'

const AT_MS = Date.UTC(2026, 0, 2)

test.each([
  ['the request', `INSERT INTO erasures VALUES ('acme', 'jo', ${AT_MS}, -1, 0, NULL)`],
  ['a repeated request', `UPDATE erasures SET requested_ms = ${AT_MS + 1}, finished_ms = NULL`],
  ['a step of it', 'UPDATE erasures SET decided_until_place = 5'],
  ['its end', `UPDATE erasures SET finished_ms = ${AT_MS + 2}`],
])('is not made during an erasure: %s', async (_, written) => {
  const db = d1InMemory()
  await db.prepare(`INSERT INTO erasures VALUES ('acme', 'ann', ${AT_MS}, -1, 0, NULL)`).run()
  const saved: string[] = []
  const write = (table: string): void => {
    saved.push(table)
    if (table === 'erasures') void db.prepare(written).run()
  }
  await expect(save(db, write)).rejects.toThrow('A principal was erased during the backup: save again')
  expect(saved).toContain('erasures')
})

test('has erasures that are not finished', async () => {
  const db = d1InMemory()
  await db.prepare(`INSERT INTO erasures VALUES ('acme', 'ann', ${AT_MS}, -1, 0, NULL)`).run()
  const saved: unknown[] = []
  await save(db, (table, rows) => void (table === 'erasures' && saved.push(...rows)))
  expect(saved).toMatchObject([{ principal_id: 'ann', finished_ms: null }])
})
