import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../scripts/local-gate.ts'

test.each([
  ['start', ['--port', '9000'], '--port'],
  ['start', ['9000'], '9000'],
  ['dev', ['--port=9000'], '--port=9000'],
  ['start-index', ['--port', '9000'], '--port'],
  ['start-index', ['indexes.json', '9000'], '9000'],
])('%s.ts %j says that it does not know the argument, and where settings come from', (script, given, named) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts', `${script}.ts`), ...given], {
    encoding: 'utf8',
    timeout: 10_000,
  })
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toBe(`There is no argument ${named}. Settings are exported: PORT=9000 is another port to try first\n`)
})
