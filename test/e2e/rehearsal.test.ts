import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bundleScript, inWorkerd } from '../../bench/in-workerd.ts'

it('rehearses while a Worker starts, where timers, random numbers and bodies are refused', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-rehearsal-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const script = join(directory, 'worker.js')
  await bundleScript(join(import.meta.dirname, 'rehearsal-worker.ts'), script)
  const miniflare = inWorkerd(script)
  onTestFinished(() => miniflare.dispose())
  const response = await fetch(await miniflare.ready)
  expect(await response.json()).toEqual([true, false])
})
