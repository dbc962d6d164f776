import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { run } from './run.ts'

// It came out of a package.json.
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

describe('rag-gate', () => {
  it.each([['--help'], ['-h'], ['help']])('prints the commands for %s', async (option) => {
    const { code, out } = await run([option])
    expect(code).toBe(0)
    for (const word of ['ingest', 'query', 'keys', 'RAG_GATE_KEY', 'Exit codes', '--version'])
      expect(out).toContain(word)
  })

  it.each([
    [['ingest', '--help'], '--prune'],
    [['ingest', '/nowhere', '-h', '--collection'], '--prune'],
    [['query', '--help'], '--debug'],
    [['keys', '--help'], 'keys revoke'],
    [['keys', 'make', '--help'], '--scopes'],
    [['help', 'query'], '--collection'],
  ])('prints the usage of a command for %j', async (args, word) => {
    const { code, out, notes } = await run(args)
    expect({ code, notes }).toEqual({ code: 0, notes: '' })
    expect(out).toContain(word)
    expect(out).toContain('--json')
  })

  it.each([
    [['--help'], 80],
    [['calibrate', '--help'], 80],
    [['replay', '--help'], 80],
    [['help', 'replay'], 44],
    [[], 44],
  ])('breaks the lines of %j at %i characters of a terminal, between words', async (args, columns) => {
    const { out } = await run(args, { tty: true, columns })
    const whole = (await run(args, { tty: false, columns })).out
    const wordsOf = (text: string): string[] => text.split(/\s+/)
    expect(wordsOf(out)).toEqual(wordsOf(whole))
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(columns)
    // A pipe has lines of any length.
    expect(Math.max(...whole.split('\n').map(({ length }) => length))).toBeGreaterThan(100)
  })

  it.each([[['--version']], [['-V']], [['ingest', '--version']], [['keys', 'list', '-V']]])(
    'prints its version for %j',
    async (args) => {
      expect(await run(args)).toEqual({ code: 0, out: `${version}\n`, notes: '' })
    },
  )

  it('prints its usage without arguments, with an error code', async () => {
    expect(await run([])).toMatchObject({ code: 2, out: expect.stringContaining('ingest') })
  })

  it.each([
    [['fly'], 'no command fly; rag-gate --help'],
    [['--url', 'http://127.0.0.1:8787', 'query', 'x'], '--url comes after the command'],
    [['ingset', '.'], 'no command ingset; did you mean ingest?'],
    [['help', 'fly'], 'no command fly'],
    [['ingest'], 'needs a file or folder'],
    [['ingest', 'a', 'b'], 'there is more: b'],
    [['ingest', '/nowhere-at-all'], 'no file or folder'],
    [['ingest', '.', '--yes'], '--yes answers what --prune asks'],
    [['ingest', '.', '--prune'], 'no terminal is there to answer: add --yes'],
    [['query', 'What?', '--colection', 'docs'], 'no option --colection; did you mean --collection?'],
    [['query', 'What?', '-x'], 'no option -x'],
    [['query', 'What?', '--toString'], 'no option --toString'],
    [['query', 'What?', '--debug=yes'], '--debug takes no value'],
    [['query', 'What?', '--url', 'ftp://x'], 'ftp://x is not a valid http or https address'],
    [['query', 'What?', '--url', 'http://127.0.0.1:…'], 'http://127.0.0.1:… is not a valid http or https address'],
    [['query', 'What?', '--key', 'a\nb'], 'characters that keys cannot have'],
    [['query', 'What?', '--key', ''], '--key is empty: the variable that it comes from is not set'],
    [['labels', '--collection='], '--collection is empty'],
    [['keys', 'list', '--tenant', ''], '--tenant is empty'],
    [['query', 'What?', '--collection'], '--collection needs a value: <id>'],
    [['query', 'What?', '--collection', '--debug'], '--collection needs a value: <id>'],
    [['query', ' '], 'needs a question'],
    [['keys'], 'make, list or revoke'],
    [['keys', 'make', '--name', 'a'], '--name and --scopes'],
    [['keys', 'make', 'intranet', '--name', 'a', '--scopes', 'ask'], 'keys make takes options only: intranet'],
    [['keys', 'list', 'acme'], 'keys list takes options only: acme'],
    [['keys', 'make', '--name', 'a', '--scopes', 'ask,fly'], 'no scope "fly"'],
    [['keys', 'revoke'], 'id of a key'],
  ])('reports the wrong call %j', async (args, message) => {
    const { code, notes, out } = await run(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(notes).toContain(message)
    expect(notes).toMatch(/^rag-gate: .+\n$/)
  })

  it.each(['RAG_GATE_URL', 'RAG_GATE_KEY'])('reports an empty %s', async (name) => {
    const ran = await run(['query', 'What?'], { env: { [name]: '' } })
    expect(ran).toEqual({ code: 2, out: '', notes: `rag-gate: ${name} is empty\n` })
  })

  it('reports that the gate does not answer', async () => {
    expect(await run(['query', 'What?'])).toMatchObject({
      code: 1,
      notes: 'rag-gate: No gate answers at http://127.0.0.1:1: is it running, and is the address right?\n',
    })
  })
})
