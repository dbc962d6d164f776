import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { documentHash, documentOrigin } from '../../packages/ingest/src/document-hash.ts'
import type { IncomingDocument } from '../../packages/ingest/src/index.ts'
import { aFolder } from './folder.ts'
import { type RunSettings, run } from './run.ts'

const folder = aFolder()

interface Sent {
  readonly collection: string
  readonly documents: readonly { readonly id: string; readonly text: string }[]
}

/** A gate that keeps documents in memory, and turns away texts that begin with `BAD` or `COMPLEX`. */
let kept: Map<string, string>
let calls: Sent[]
let removed: string[]
/** Documents of each removal. */
let removals: string[][]
let fails: Response | undefined

beforeEach(() => {
  kept = new Map()
  calls = []
  removed = []
  removals = []
  fails = undefined
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const { searchParams } = new URL(url)
    if (fails !== undefined) return fails.clone()
    if (init.method === 'GET') {
      const ids = [...kept.keys()].sort().filter((id) => id > (searchParams.get('cursor') ?? ''))
      // Pages of two, so that there are several.
      const page = ids.slice(0, 2)
      return Response.json({
        documents: page.map((id) => ({ id, chunks: kept.get(id) === 'LONG' ? 2500 : 1 })),
        next_cursor: ids.length > 2 ? page[1] : null,
      })
    }
    if (init.method === 'DELETE') {
      const ids = searchParams.getAll('id')
      const gone = ids.findIndex((id) => !kept.has(id))
      if (gone >= 0) return turnedAway('document_not_found', 'There is no such document', `id[${gone}]`, 404)
      if (url.length > 8192) return turnedAway('uri_too_long', 'The address is too long', undefined, 414)
      removals.push(ids)
      removed.push(...ids)
      for (const id of ids) kept.delete(id)
      return Response.json({ corpus_version: 9 })
    }
    const sent = JSON.parse(init.body as string) as Sent
    calls.push(sent)
    const bad = sent.documents.findIndex(({ text }) => text.startsWith('BAD'))
    if (bad !== -1) return turnedAway('document_field', 'title makes no sense', `documents[${bad}].title`)
    if (sent.documents.some(({ text }) => text.startsWith('COMPLEX')))
      return turnedAway('document_too_complex', 'Send it in parts')
    const documents = sent.documents.map(({ id, text }) => {
      const status = kept.get(id) === text ? 'unchanged' : kept.has(id) ? 'changed' : 'added'
      kept.set(id, text)
      const chunks = text.startsWith('NOTHING') ? 0 : 1
      return {
        id,
        status,
        chunks,
        chunks_written: chunks,
        chunks_removed: 0,
        flags: text.startsWith('HIDDEN') ? ['hidden_text'] : [],
      }
    })
    const full = sent.documents.some(({ text }) => text.startsWith('MUCH'))
    const nearly_full = full ? { used_bytes: 450_000_000, limit_bytes: 500_000_000 } : undefined
    return Response.json({ corpus_version: calls.length, documents, chunks_to_remove: 0, nearly_full })
  })
})
afterEach(() => void vi.unstubAllGlobals())

function turnedAway(code: string, message: string, param?: string, status = 422): Response {
  return Response.json({ error: { code, message, request_id: 'r', param } }, { status })
}

const ingest = (args: readonly string[] = [], settings?: RunSettings) =>
  run(['ingest', folder.path, '--collection', 'manual', ...args], settings)

describe('rag-gate ingest', () => {
  it('reports an index that is nearly full, and nothing before', async () => {
    folder.put('a.md', 'Alpha.')
    expect((await ingest()).out).not.toContain('full')
    folder.put('b.md', 'MUCH more.')
    const { code, out } = await ingest()
    expect(code).toBe(0)
    expect(out).toContain('The index is nearly full: 450 MB of 500 MB. Remove documents, or take a larger index.')
  })

  it('sends a folder and reports the result', async () => {
    folder.put('a.md', 'Alpha.')
    folder.put('b.mdx', 'Beta.')
    folder.put('c.jsonl', '{"id":"gamma","text":"Gamma."}')
    expect(await ingest()).toEqual({
      code: 0,
      notes: '',
      out: 'manual: 3 added, 0 changed, 0 unchanged, 0 removed; 3 chunks, version 1\n',
    })
    expect([...kept]).toEqual([
      ['a.md', 'Alpha.'],
      ['b.mdx', 'Beta.'],
      ['gamma', 'Gamma.'],
    ])
  })

  it('sends the readable files of a mixed folder, and names all others', async () => {
    folder.put('a.md', 'Alpha.')
    folder.put('big.md', 'x'.repeat(2_000_001))
    folder.put('broken.md', Uint8Array.of(0xff))
    folder.put('empty.md', '')
    folder.put('hidden.md', 'HIDDEN text.')
    folder.put('image.png', 'x')
    folder.put('lines.jsonl', '{"id":"a.md","text":"twice"}\n{"id":"ok","text":"Fine."}\nnonsense\n')
    folder.put('nothing.md', 'NOTHING to read.')
    folder.put('odd\nname\u202e.md', '---\ntitle: [\n---\nText.')
    const { code, out, notes } = await ingest()
    expect({ code, notes }).toEqual({ code: 1, notes: '' })
    expect(out).toBe(
      [
        'manual: 5 added, 0 changed, 0 unchanged, 0 removed; 4 chunks, version 1',
        'Could not be read',
        '  big.md: 2.0 MB, and a gate takes 2.0 MB at most: send it in parts',
        '  broken.md: it is not UTF-8',
        '  lines.jsonl:1: its id "a.md" is that of a.md already',
        '  lines.jsonl:3: it is not a JSON object with an id',
        'Read, and no text found',
        '  nothing.md',
        'Hidden text taken out',
        '  hidden.md',
        'Remarks',
        '  odd name.md: its front matter is no YAML, line 2',
        'Skipped',
        '  empty.md: no text in it',
        'Other kinds of files, not read',
        '  1 .png',
        '',
      ].join('\n'),
    )
    expect(JSON.parse((await ingest(['--json'])).out)).toMatchObject({
      unchanged: 5,
      unreadable: [{ path: 'big.md' }, { path: 'broken.md' }, { path: 'lines.jsonl:1' }, { path: 'lines.jsonl:3' }],
      skipped: [{ path: 'empty.md', why: 'no text in it' }],
      other_files: { '.png': 1 },
      without_text: ['nothing.md'],
      hidden_text: ['hidden.md'],
    })
  })

  it('names a document that the gate rejects, and sends the others', async () => {
    folder.put('a.md', 'Alpha.')
    folder.put('bad.md', 'BAD')
    folder.put('c.md', 'Gamma.')
    folder.put('d.md', 'COMPLEX')
    folder.put('e.md', 'Epsilon.')
    const { code, out } = await ingest()
    expect(code).toBe(1)
    expect([...kept.keys()].sort()).toEqual(['a.md', 'c.md', 'e.md'])
    expect(out).toContain('manual: 3 added')
    expect(out).toContain('Not taken by the gate\n')
    expect(out).toContain('  bad.md: document_field, title makes no sense\n')
    expect(out).toContain('  d.md: document_too_complex, Send it in parts\n')
  })

  it('does not send documents that the gate has unchanged', async () => {
    folder.put('a.md', '# Alpha\n\nOne.')
    folder.put('b.md', '# Beta\n\nTwo.')
    await ingest()
    const origin = documentOrigin({ version: 'splitter-1' }, { model: 'words', dimension: 0 })
    const there = calls.flatMap(({ documents }) => documents) as unknown as IncomingDocument[]
    const real = globalThis.fetch
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
      if (init.method !== 'GET') return real(url, init)
      const documents = there.map((document) => ({
        id: document.id,
        content_hash: documentHash(origin, document),
        chunks: 3,
      }))
      return Response.json({ corpus_version: 7, origin, documents, next_cursor: null })
    })
    calls = []
    expect((await ingest()).out).toContain('0 added, 0 changed, 2 unchanged, 0 removed; 6 chunks, version 7')
    expect(calls).toEqual([])
    folder.put('b.md', '# Beta\n\nThree.')
    expect((await ingest()).out).toContain('0 added, 1 changed, 1 unchanged')
    expect(calls.flatMap(({ documents }) => documents.map(({ id }) => id))).toEqual(['b.md'])
    calls = []
    expect((await ingest(['--dry-run'])).out).toBe('manual: 1 document would be sent, 1 unchanged, 0 removed\n')
    expect(JSON.parse((await ingest(['--dry-run', '--json'])).out)).toMatchObject({
      corpus_version: 7,
      unchanged: 1,
      dry_run: { documents: 1, to_remove: [] },
    })
    expect(calls).toEqual([])
    // What the gate may turn away does not end the run here.
    rmSync(join(folder.path, 'b.md'))
    folder.put('c.jsonl', '{"id":"b.md","text":"Two.","format":null}')
    calls = []
    expect((await ingest()).out).toContain('0 added, 1 changed, 1 unchanged')
    expect(calls.flatMap(({ documents }) => documents.map(({ id }) => id))).toEqual(['b.md'])
  })

  it('reports how to proceed with a full index, and not to repeat the command', async () => {
    for (let at = 0; at < 250; at++) folder.put(`${String(at).padStart(3, '0')}.md`, `Text ${at}.`)
    const real = globalThis.fetch
    let call = 0
    const full = { code: 'index_full', message: 'The index is full: remove documents' }
    vi.stubGlobal('fetch', async (...args: Parameters<typeof fetch>) =>
      ++call === 3 ? Response.json({ error: full }, { status: 507 }) : real(...args),
    )
    expect(await ingest()).toEqual({
      code: 1,
      out: '',
      notes: '200 documents were taken before this.\nrag-gate: index_full: The index is full: remove documents\n',
    })
    vi.stubGlobal('fetch', async () =>
      Response.json({
        corpus_version: 1,
        documents: [{ id: 'a', status: 'failed', code: 'index_full' }],
        next_cursor: null,
      }),
    )
    const { code, out } = await ingest()
    expect(code).toBe(1)
    expect(out).toContain('The index is full: remove documents')
    expect(out).not.toContain('Run the same command again')
  })

  it('sends large folders in several calls, and continues after a failure', async () => {
    for (let at = 0; at < 450; at++) folder.put(`${String(at).padStart(3, '0')}.md`, `Text ${at}.`)
    expect((await ingest()).out).toContain('450 added')
    expect(calls.map(({ documents }) => documents.length)).toEqual([200, 200, 50])

    const real = globalThis.fetch
    let call = 0
    vi.stubGlobal('fetch', async (...args: Parameters<typeof fetch>) =>
      ++call === 3 ? Response.json({ error: { code: 'internal', message: 'No.' } }, { status: 500 }) : real(...args),
    )
    expect(await ingest()).toEqual({
      code: 1,
      out: '',
      notes:
        '200 documents were taken before this. Run the same command again: it goes on from there.\nrag-gate: internal: No.\n',
    })
  })

  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [422, 'collection_id'],
  ])('stops at once when the call itself is wrong: %i %s', async (status, code) => {
    folder.put('a.md', 'Alpha.')
    folder.put('b.md', 'Beta.')
    fails = Response.json({ error: { code, message: 'No.' } }, { status })
    expect(await ingest()).toMatchObject({
      code: 1,
      out: '',
      notes: expect.stringContaining(`rag-gate: ${code}: No.\n`),
    })
  })

  it.each(['', '{}', '[]', '{"documents":[]}'])(
    'reports that the address answering %j is not a gate',
    async (answer) => {
      folder.put('a.md', 'Alpha.')
      fails = new Response(answer)
      const said = { code: 1, out: '', notes: expect.stringContaining('answered 200, and not as a gate does') }
      expect(await ingest()).toMatchObject(said)
      expect(await ingest(['--prune', '--yes'])).toMatchObject(said)
    },
  )

  it('sends nothing for a folder without text', async () => {
    folder.put('empty.md', ' ')
    expect(await ingest(['--prune', '--yes'])).toMatchObject({ code: 2, notes: expect.stringContaining('no text') })
  })

  it('draws a progress bar on a terminal, and clears the line', async () => {
    folder.put('a.md', 'Alpha.')
    const { notes } = await ingest([], { tty: true })
    expect(notes.startsWith(`\r\u001b[K${'░'.repeat(24)}   0 %  0 documents`)).toBe(true)
    expect(notes.endsWith('\r\u001b[K')).toBe(true)
  })
})

describe('rag-gate ingest --prune', () => {
  beforeEach(() => {
    folder.put('a.md', 'Alpha.')
    kept = new Map(['old-1.md', 'old-2.md', 'old-3.md'].map((id) => [id, 'Old.']))
  })

  it('shows what it would remove, and asks', async () => {
    const { code, out, notes } = await ingest(['--prune'], { tty: true, types: 'y\n', env: { NO_COLOR: '1' } })
    expect(code).toBe(0)
    expect(notes).toContain(
      'Documents of manual that are not here:\n  old-1.md\n  old-2.md\n  old-3.md\nRemove 3 documents from manual? [y/N] ',
    )
    expect(removals).toEqual([['old-1.md', 'old-2.md', 'old-3.md']])
    expect(out).toContain('1 added, 0 changed, 0 unchanged, 3 removed; 1 chunk, version 9')
  })

  it.each([['n\n'], ['\n'], ['of course not, yes?\n'], [undefined]])(
    'removes nothing when the answer is %j',
    async (types) => {
      const { code, out } = await ingest(['--prune'], { tty: true, ...(types === undefined ? {} : { types }) })
      expect(code).toBe(0)
      expect(removed).toEqual([])
      expect(out).toContain('Kept, though not here: 3 documents')
    },
  )

  it('does not ask with --yes, or when there is nothing to remove', async () => {
    const { notes, out } = await ingest(['--prune', '--yes'])
    expect(notes).toBe('')
    expect(out).toContain('3 removed')
    expect((await ingest(['--prune'], { tty: true })).notes).not.toContain('[y/N]')
  })

  it('goes on after a document that is gone already, as after a removal whose response was lost', async () => {
    const original = fetch
    for (const gone of [['old-2.md'], ['old-1.md', 'old-2.md', 'old-3.md']]) {
      kept = new Map(['old-1.md', 'old-2.md', 'old-3.md'].map((id) => [id, 'Old.']))
      removed = []
      vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
        if (init.method === 'DELETE') for (const id of gone) kept.delete(id)
        return original(url, init)
      })
      expect(await ingest(['--prune', '--yes'])).toMatchObject({ code: 0, out: expect.stringContaining('3 removed') })
      expect(removed).toEqual(gone.length === 1 ? ['old-1.md', 'old-3.md'] : [])
    }
  })

  it('removes as many at once as an address holds, and as a gate removes chunks', async () => {
    const long = Array.from({ length: 40 }, (_, at) => `${'\u00e9'.repeat(100)}-${at}`)
    kept = new Map(long.map((id) => [id, 'Old.']))
    expect((await ingest(['--prune', '--yes'])).out).toContain('40 removed')
    expect(removed).toEqual([...long].sort())
    expect(removals.length).toBeLessThan(6)
    removals = []
    kept = new Map(['old-1.md', 'old-2.md', 'old-3.md'].map((id) => [id, 'LONG']))
    await ingest(['--prune', '--yes'])
    expect(removals).toEqual([['old-1.md', 'old-2.md'], ['old-3.md']])
  })

  it('reports what was sent and removed before the gate failed', async () => {
    const long = ['b', 'c', 'd'].map((letter) => letter.repeat(4000))
    kept = new Map(long.map((id) => [id, 'Old.']))
    const original = fetch
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) =>
      init.method === 'DELETE' && url.includes(long[1]!)
        ? Response.json({ error: { code: 'key_invalid', message: 'Revoked' } }, { status: 401 })
        : original(url, init),
    )
    const { code, out } = await ingest(['--prune', '--yes'])
    expect(code).toBe(1)
    expect(out).toContain('1 added, 0 changed, 0 unchanged, 1 removed; 1 chunk, version 9')
    expect(out).toContain('Kept, though not here: 2 documents\nNot everything was removed: key_invalid: Revoked')
  })

  it('only reports with --dry-run', async () => {
    const { code, out } = await ingest(['--prune', '--dry-run'])
    expect(code).toBe(0)
    expect(out).toBe(
      'manual: 1 document would be sent, 0 unchanged, 3 removed\nWould be removed\n  old-1.md\n  old-2.md\n  old-3.md\n',
    )
    expect({ calls, removed }).toEqual({ calls: [], removed: [] })
  })

  it('keeps the documents of files that could not be read', async () => {
    folder.put('old-1.md', Uint8Array.of(0xff))
    folder.put('old-2.md', 'x'.repeat(2_000_001))
    expect((await ingest(['--prune', '--yes'])).code).toBe(1)
    expect(removed).toEqual(['old-3.md'])
  })

  it('removes nothing while the documents of a file or folder are unknown', async () => {
    folder.put('lines.jsonl', '{"id":"old-1.md","text":"Old."}\nnonsense\n')
    const { code, out } = await ingest(['--prune', '--yes'])
    expect(code).toBe(1)
    expect(out).toContain('Nothing was removed: it is not known which documents lines.jsonl:2 would have had')
    expect(removed).toEqual([])
  })

  // Root reads everything.
  it.skipIf(process.getuid?.() === 0)('removes nothing while a folder cannot be read', async () => {
    folder.put('closed/old-1.md', 'Old.')
    chmodSync(join(folder.path, 'closed'), 0)
    const { code, out } = await ingest(['--prune', '--yes'])
    chmodSync(join(folder.path, 'closed'), 0o700)
    expect(code).toBe(1)
    expect(out).toContain('  closed/: no permission to read it')
    expect(removed).toEqual([])
  })

  it('keeps a document whose id in JSONL has decomposed letters', async () => {
    kept = new Map([['caf\u00e9', 'Text.']])
    folder.put('lines.jsonl', '{"id":"cafe\u0301","text":"Text."}\n{"id":"caf\u00e9","text":"Twice."}')
    expect((await ingest(['--prune', '--yes'])).out).toContain(
      '  lines.jsonl:2: its id "caf\u00e9" is that of lines.jsonl:1 already',
    )
    expect(removed).not.toContain('caf\u00e9')
  })

  it('removes the document of an emptied file', async () => {
    folder.put('old-1.md', '')
    rmSync(join(folder.path, 'old-2.md'), { force: true })
    await ingest(['--prune', '--yes'])
    expect(removed).toContain('old-1.md')
  })
})
