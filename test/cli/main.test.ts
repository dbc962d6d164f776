import { describe, expect, it } from 'vitest'
import { runCommand } from '../../src/cli/main.ts'
import { progressOn } from '../../src/cli/terminal.ts'

async function run(...given: string[]) {
  const written = { out: '', notes: '' }
  const code = await runCommand(given, {
    out: (line) => void (written.out += `${line}\n`),
    notes: { write: (text) => void (written.notes += text) },
    // Nothing listens on the port that is never given out.
    env: { RAG_GATE_URL: 'http://127.0.0.1:1' },
  })
  return { code, ...written }
}

describe('rag-gate', () => {
  it.each([['--help'], ['-h'], ['help']])('tells how it is used: %s', async (option) => {
    const { code, out } = await run(option)
    expect(code).toBe(0)
    for (const word of ['ingest', 'query', 'keys', '--debug', 'RAG_GATE_KEY', 'Exit codes']) expect(out).toContain(word)
  })

  it('called without anything tells how it is used, and that this was wrong', async () => {
    expect(await run()).toMatchObject({ code: 2, out: expect.stringContaining('rag-gate ingest') })
  })

  it.each([
    [['fly'], 'no command fly'],
    [['ingest'], 'needs a file or folder'],
    [['ingest', 'a', 'b'], 'one only'],
    [['ingest', '/nowhere-at-all'], 'no file or folder'],
    [['query', 'What?', '--serch-mode', 'dense'], '--serch-mode'],
    [['query', 'What?', '--search-mode', 'fuzzy'], 'dense, sparse or hybrid'],
    [['query', 'What?', '--url', 'ftp://x'], 'not an http(s) address'],
    [['query', 'What?', '--collection'], '--collection'],
    [['keys'], 'make, list or revoke'],
    [['keys', 'make', '--name', 'a'], '--name and --scopes'],
    [['keys', 'revoke'], 'id of a key'],
  ])('called wrongly as %j says so', async (given, message) => {
    const { code, notes, out } = await run(...given)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(notes).toContain(message)
    expect(notes).toMatch(/^rag-gate: .+\n$/)
  })

  it('says that nobody answers', async () => {
    expect(await run('query', 'What?')).toMatchObject({
      code: 1,
      notes: 'rag-gate: No gate answers at http://127.0.0.1:1: is it running, and is the address right?\n',
    })
  })
})

describe('the progress bar', () => {
  const shown = (isTTY: boolean, columns?: number) => {
    const pieces: string[] = []
    const notes = { isTTY, write: (text: string) => pieces.push(text), ...(columns === undefined ? {} : { columns }) }
    const progress = progressOn(notes)
    progress.show(1, 4, 'documents')
    progress.show(0, 0, 'nothing to do')
    progress.end()
    return pieces
  }

  it('is drawn over itself, and leaves the line', () => {
    const [quarter, empty, end] = shown(true)
    expect(quarter).toBe(`\r\u001b[K${'█'.repeat(6)}${'░'.repeat(18)}  25 %  documents`)
    expect(empty).toContain('100 %')
    expect(end).toBe('\r\u001b[K')
  })

  it('stays within a narrow terminal, and is nothing where nobody watches', () => {
    expect(shown(true, 30)[0]).toHaveLength('\r\u001b[K'.length + 29)
    expect(shown(false)).toEqual([])
  })
})
