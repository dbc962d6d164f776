import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { linesOf } from '../../scripts/text-lines.ts'

test.each([
  ['', []],
  ['\n', ['']],
  ['a', ['a']],
  ['a\nb\n', ['a', 'b']],
  ['a\u2028b\u2029c\rd\n\ne', ['a\u2028b\u2029c\rd', '', 'e']],
  [`${'é'.repeat(100_000)}\nb`, ['é'.repeat(100_000), 'b']],
])('the lines of %j', async (text, lines) => {
  const folder = mkdtempSync(join(tmpdir(), 'rag-gate-lines-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'text'), text)
  const read: string[] = []
  for await (const line of linesOf(join(folder, 'text'))) read.push(line)
  expect(read).toEqual(lines)
})
