/** The command line against a gate that runs. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../scripts/local-gate.ts'
import { type Ran, run } from '../cli/run.ts'
import { type BundledGate, startBundledGate } from './bundled-gate.ts'

const home = mkdtempSync(join(tmpdir(), 'hono-rag-gate-cli-'))
const folder = join(home, 'manual')
let gate: BundledGate

beforeAll(async () => {
  gate = await startBundledGate({ stateDirectory: join(home, 'state'), vars: { AUDIENCE: 'public' } })
  mkdirSync(folder)
  writeFileSync(join(folder, 'rocket.md'), '# Rocket\n\nThe launch code of the rocket is 7421.\n')
  writeFileSync(join(folder, 'crew.html'), '<title>Crew</title><main><p>The crew are four astronauts.</p></main>')
  writeFileSync(
    join(folder, 'page.mdx'),
    '---\ntitle: Life support\n---\nimport X from "x"\n\n<X>\n    The oxygen lasts for nine days.\n</X>\n',
  )
  const lines = ['Fuel is methane.', 'Orbit is low.'].map((text, at) => JSON.stringify({ id: `fact-${at}`, text }))
  writeFileSync(join(folder, 'facts.jsonl'), lines.join('\n'))
})
afterAll(async () => {
  await gate.stop()
  rmSync(home, { recursive: true })
})

const envOf = (key: string) => ({ RAG_GATE_URL: gate.url, ...(key === '' ? {} : { RAG_GATE_KEY: key }) })

/** Runs a command in this process: to start one takes most of a second. */
const ragGate = (given: readonly string[], key = gate.adminToken): Promise<Ran> => run(given, { env: envOf(key) })

/** Runs a command as a program. */
async function program(...given: string[]): Promise<Ran> {
  const { FORCE_COLOR: _, ...others } = process.env
  const child = spawn(process.execPath, [join(ROOT, 'packages', 'cli', 'src', 'main.ts'), ...given], {
    env: { ...others, ...envOf(gate.adminToken) },
  })
  let out = ''
  let notes = ''
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (notes += piece.toString()))
  const code = await new Promise<number>((resolve) => child.once('close', resolve))
  return { code, out, notes }
}

describe('rag-gate', () => {
  test('ingests a folder, sends unchanged files only once, and removes missing ones on request', async () => {
    const ingest = (...more: string[]) => ragGate(['ingest', folder, '--collection', 'manual', ...more])
    expect(await program('ingest', folder, '--collection', 'manual')).toEqual({
      code: 0,
      out: 'manual: 5 added, 0 changed, 0 unchanged, 0 removed; 5 chunks, version 1\n',
      notes: '',
    })
    expect((await ingest()).out).toContain('0 added, 0 changed, 5 unchanged, 0 removed; 5 chunks, version 1')
    rmSync(join(folder, 'crew.html'))
    expect((await ingest()).out).toContain('4 unchanged, 0 removed')
    // There is no terminal to ask.
    expect(await ingest('--prune')).toMatchObject({ code: 2, out: '', notes: expect.stringContaining('--yes') })
    expect((await ingest('--prune', '--dry-run')).out).toContain('Would be removed\n  crew.html\n')
    const pruned = await ingest('--prune', '--yes', '--json')
    expect(JSON.parse(pruned.out)).toMatchObject({ removed: 1, unchanged: 4, corpus_version: 2, failed: [] })
  })

  test('names unreadable files, and sends the others', async () => {
    const messy = join(home, 'messy')
    mkdirSync(messy)
    writeFileSync(join(messy, 'fine.md'), 'The hatch opens inwards.')
    writeFileSync(join(messy, 'huge.md'), 'x'.repeat(2_000_001))
    writeFileSync(join(messy, 'control\u0007.md'), 'Its name is no id.')
    const { code, out } = await ragGate(['ingest', messy, '--collection', 'messy'])
    expect(code).toBe(1)
    expect(out).toContain('messy: 1 added')
    expect(out).toContain('  control.md: document_id, ')
    expect(out).toContain('  huge.md: 2.0 MB')
  })

  test('answers a question, and shows operators the reason', async () => {
    const question = 'What is the launch code of the rocket?'
    const plain = await ragGate(['query', question, '--collection', 'manual'], '')
    expect(plain).toMatchObject({ code: 0, notes: '' })
    expect(plain.out).toContain('7421')
    expect(plain.out).toContain('[1] rocket.md · Rocket')
    expect(plain.out).not.toContain('Confidence')

    const debug = await ragGate(['query', question, '--collection', 'manual', '--debug'])
    expect(debug.out).toContain('Confidence Gate:\n')
    expect(debug.out).toContain('  Decision: PASS')

    const mdx = await ragGate(['query', 'How long does the oxygen last?', '--collection', 'manual'])
    expect(mdx.out).toContain('The oxygen lasts for nine days.')
    expect(mdx.out).toContain('[1] page.mdx')

    const refused = await ragGate(['query', 'Who won the chess match in Oslo?', '--collection', 'manual', '--debug'])
    expect(refused.code).toBe(0)
    expect(refused.out).toContain('  Decision: REFUSE\n  Reason: ')

    const stranger = await ragGate(['query', question, '--collection', 'manual', '--debug'], '')
    expect(stranger).toMatchObject({ code: 1, notes: expect.stringContaining('scope admin') })
    const nowhere = await ragGate(['query', question, '--collection', 'never-made'])
    expect(nowhere).toMatchObject({ code: 1, notes: expect.stringContaining('collection_not_found') })
  })

  test('makes, lists and revokes keys', async () => {
    const made = await ragGate(['keys', 'make', '--name', 'intranet', '--scopes', 'ask', '--tenant', 'acme'])
    expect(made.out).toMatch(/^rg_\S+\n$/)
    const token = made.out.trim()
    const id = token.split('_')[1]!
    const listed = await ragGate(['keys', 'list', '--tenant', 'acme'])
    expect(listed.out).toContain(`${id}  ask`)
    const asked = await ragGate(['query', 'What?'], token)
    expect(asked.notes).toContain('collection_not_found')
    expect((await ragGate(['keys', 'revoke', id, '--tenant', 'acme'])).out).toBe(`${id} is revoked\n`)
    expect((await ragGate(['keys', 'revoke', id, '--tenant', 'acme'])).notes).toContain('key_not_found')
    expect((await ragGate(['ingest', folder], token)).code).toBe(1)
  })
})
