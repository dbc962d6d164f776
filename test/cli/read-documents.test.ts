import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listFiles } from '../../packages/cli/src/list-files.ts'
import { type Read, readDocuments } from '../../packages/cli/src/read-documents.ts'
import { aFolder } from './folder.ts'

const folder = aFolder()

async function readAll(path = folder.path): Promise<Read[]> {
  const all: Read[] = []
  for (const file of (await listFiles(path)).files) for await (const read of readDocuments(file)) all.push(read)
  return all
}

const documentsIn = async (path?: string) =>
  (await readAll(path)).flatMap((read) => (read.kind === 'document' ? [read.document] : []))

describe('listFiles', () => {
  it('finds readable files, and counts others by extension', async () => {
    folder.put('guide/start.md', 'x')
    folder.put('page.HTML', 'x')
    folder.put('deep/er/page.mdx', 'x')
    folder.put('image.png', 'x')
    folder.put('icons/other.PNG', 'x')
    folder.put('Makefile', 'x')
    folder.put('.git/readme.md', '# hidden')
    folder.put('node_modules/x/readme.md', '# foreign')
    const { files, otherKinds, passedOver, closed } = await listFiles(folder.path)
    expect(files.map(({ id, format }) => [id, format])).toEqual([
      ['deep/er/page.mdx', 'mdx'],
      ['guide/start.md', 'markdown'],
      ['page.HTML', 'html'],
    ])
    expect([...otherKinds]).toEqual([
      ['no ending', 1],
      ['.png', 2],
    ])
    expect({ passedOver, closed }).toEqual({ passedOver: [], closed: [] })
  })

  it('follows no links, in a circle or out of the folder, and names them', async () => {
    folder.put('a.md', 'x')
    symlinkSync('.', join(folder.path, 'loop'))
    symlinkSync('/etc/hostname', join(folder.path, 'out.md'))
    symlinkSync('nowhere', join(folder.path, 'broken.md'))
    const { files, passedOver } = await listFiles(folder.path)
    expect(files.map(({ id }) => id)).toEqual(['a.md'])
    expect(passedOver).toEqual(['broken.md', 'loop', 'out.md'].map((path) => ({ path, why: 'a link, not followed' })))
  })

  it('names what is not a file, and does not wait for its output', async () => {
    folder.put('a.md', 'x')
    execFileSync('mkfifo', [join(folder.path, 'pipe.md')])
    expect((await listFiles(folder.path)).passedOver).toEqual([{ path: 'pipe.md', why: 'not a file' }])
  })

  it('writes ids in composed letters on every file system', async () => {
    folder.put('caf\u0065\u0301/\u0065\u0301.md', 'x')
    expect((await listFiles(folder.path)).files.map(({ id }) => id)).toEqual(['caf\u00e9/\u00e9.md'])
  })

  it.each([
    ['nothing.md', undefined, 'There is no file or folder'],
    ['a.pdf', 'x', 'does not end in .md, .markdown, .mdx'],
  ])('reports the fault of %s containing %j', async (name, content, message) => {
    const path = content === undefined ? join(folder.path, name) : folder.put(name, content)
    await expect(listFiles(path)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(message) })
  })

  it('reports a folder with nothing to read', async () => {
    folder.put('image.png', 'x')
    mkdirSync(join(folder.path, 'folder.md'))
    await expect(listFiles(folder.path)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('.mdx'),
    })
  })
})

describe('readDocuments', () => {
  it('makes a document of each page, with its path as id, whose title the gate reads', async () => {
    folder.put('guide/start.md', 'Intro.\n\n# Starting up\n\nTurn the key.')
    folder.put('notes.txt', '# no heading in plain text')
    folder.put('page.HTML', '<html><head><title>A page</title></head><body>Text</body></html>')
    folder.put('a:b.md', 'Text.')
    expect(await documentsIn()).toEqual([
      { id: 'a:b.md', source: './a:b.md', format: 'markdown', text: 'Text.' },
      {
        id: 'guide/start.md',
        source: 'guide/start.md',
        format: 'markdown',
        text: expect.stringContaining('Intro.'),
      },
      { id: 'notes.txt', source: 'notes.txt', format: 'text', text: '# no heading in plain text' },
      { id: 'page.HTML', source: 'page.HTML', format: 'html', text: expect.stringContaining('Text') },
    ])
  })

  it('uses the name of a single file as its id', async () => {
    expect(await documentsIn(folder.put('deep/one.md', 'Text.'))).toMatchObject([{ id: 'one.md', text: 'Text.' }])
  })

  it('makes title and metadata from front matter, and text from the rest', async () => {
    folder.put('page.mdx', '---\ntitle: The page\ntags: [a, b]\n---\nimport X from "x"\n\n<X title="Note">Text.</X>\n')
    expect(await documentsIn()).toEqual([
      {
        id: 'page.mdx',
        source: 'page.mdx',
        title: 'The page',
        format: 'markdown',
        metadata: { tags: ['a', 'b'] },
        text: '\n\n\n**Note**\n\nText.\n',
      },
    ])
  })

  it.each([
    ["import Tabs from '@theme/Tabs'\n\n# A\n\n<Tabs>\n\nText.\n\n</Tabs>\n\n{/* a note */}", '# A\n\nText.'],
    ["\nimport {\n  A,\n  B as C,\n} from './b.js'\n\nText.", 'Text.'],
    ['{/* Shared with <A>b</A>. */}\n\nText <AppOnly>here</AppOnly>.', 'Text here.'],
    ["import './style.css'\n\nText.", 'Text.'],
    ['import duties are high. {/* a */}', 'import duties are high. {/* a */}'],
    ["```js\nimport a from 'a'\n```\n\n{/* a */}", "```js\nimport a from 'a'\n```\n\n{/* a */}"],
  ])('reads a Markdown file that begins with an import or comment as MDX: %j', async (written, text) => {
    const [document] = await documentsIn(folder.put('a.md', `---\nid: a\n---\n${written}`))
    expect(document?.text.replaceAll(/\n{3,}/g, '\n\n').trim()).toBe(text)
  })

  it("begins the text with the page's description, unless the text contains it", async () => {
    folder.put('a.md', '---\ndescription: >-\n  Returns the rank\n  of a member.\n---\n## Arguments\n')
    folder.put('b.md', '---\ndescription: Returns the rank.\n---\nReturns the\nrank. It is a number.\n')
    folder.put('c.md', '---\ndescription: Returns the rank.\n---\n\n# ZRANK\nOf a member.\n')
    expect((await documentsIn()).map(({ text }) => text)).toEqual([
      'Returns the rank of a member.\n\n## Arguments\n',
      'Returns the\nrank. It is a number.\n',
      // Under the title, so that it is one passage with what follows.
      '\n# ZRANK\n\nReturns the rank.\n\nOf a member.\n',
    ])
  })

  it('ignores and reports invalid front matter', async () => {
    folder.put('long.md', `---\nkeywords: ${'word '.repeat(4000)}\n---\nText.`)
    folder.put('odd.md', '---\ntitle: "open\n---\nText.')
    expect(await readAll()).toMatchObject([
      { document: { id: 'long.md', text: 'Text.' }, remark: 'its front matter is too long for metadata, and left out' },
      { document: { id: 'odd.md', text: 'Text.' }, remark: expect.stringContaining('is no YAML') },
    ])
    for (const document of await documentsIn()) expect(document).not.toHaveProperty('metadata')
  })

  it('reports what cannot be read and why, and reads the others', async () => {
    folder.put('a.md', 'Text.')
    folder.put('big.md', 'x'.repeat(2_000_001))
    folder.put('binary.txt', 'PK\0\0')
    folder.put('broken.md', Uint8Array.of(0x61, 0xff))
    folder.put('empty.md', ' \n')
    folder.put('only-settings.md', '---\ntitle: x\n---\n')
    folder.put('wide.md', Buffer.from('\ufeffText', 'utf16le'))
    const { files } = await listFiles(folder.path)
    rmSync(folder.put('gone.md', 'x'))
    const reads: Read[] = []
    for (const file of [
      ...files,
      { path: join(folder.path, 'gone.md'), id: 'gone.md', format: 'markdown', bytes: 1 } as const,
    ])
      for await (const read of readDocuments(file)) reads.push(read)
    expect(reads.map((read) => [read.from, read.kind, read.kind === 'unreadable' ? read.why : ''])).toEqual([
      ['a.md', 'document', ''],
      ['big.md', 'unreadable', '2.0 MB, and a gate takes 2.0 MB at most: send it in parts'],
      ['binary.txt', 'unreadable', 'it is no text'],
      ['broken.md', 'unreadable', 'it is not UTF-8'],
      ['empty.md', 'empty', ''],
      ['only-settings.md', 'empty', ''],
      ['wide.md', 'unreadable', 'it is not UTF-8'],
      ['gone.md', 'unreadable', 'it is not there any more'],
    ])
    // Their documents are known by their path, and must not be pruned.
    for (const read of reads) if (read.kind === 'unreadable') expect(read.id).toBe(read.from)
  })

  it('reads each line of JSONL as a document, and names invalid lines', async () => {
    const lines = ['{"id":"a","text":"Alpha."}', '', '{"id":', '{"text":"x"}', '[]', '{"id":"ž","text":"Beta."}\r']
    const wide = Buffer.concat([
      Buffer.from(`${lines.join('\n')}\n`),
      Buffer.from([0xff, 0x0a]),
      Buffer.from('{"id":"c"}'),
    ])
    expect(await readAll(folder.put('all.jsonl', wide))).toEqual([
      { kind: 'document', from: 'all.jsonl:1', document: { id: 'a', text: 'Alpha.' } },
      { kind: 'unreadable', from: 'all.jsonl:3', why: 'it is not a JSON object with an id' },
      { kind: 'unreadable', from: 'all.jsonl:4', why: 'it is not a JSON object with an id' },
      { kind: 'unreadable', from: 'all.jsonl:5', why: 'it is not a JSON object with an id' },
      { kind: 'document', from: 'all.jsonl:6', document: { id: 'ž', text: 'Beta.' } },
      { kind: 'unreadable', from: 'all.jsonl:7', why: 'it is not UTF-8' },
      { kind: 'document', from: 'all.jsonl:8', document: { id: 'c' } },
    ])
  })

  it('reads long lines across the chunks of a file, and discards those longer than a document may be', async () => {
    const text = 'ž'.repeat(100_000)
    const path = folder.put(
      'all.jsonl',
      `${JSON.stringify({ id: 'a', text })}\n${'y'.repeat(17_000_000)}\n{"id":"b"}\n`,
    )
    expect(await readAll(path)).toEqual([
      { kind: 'document', from: 'all.jsonl:1', document: { id: 'a', text } },
      { kind: 'unreadable', from: 'all.jsonl:2', why: 'the line is longer than 16.0 MB' },
      { kind: 'document', from: 'all.jsonl:3', document: { id: 'b' } },
    ])
  })

  it('names a line that would be sent with another content', async () => {
    const why = 'it has a number that is not finite, or half of a character'
    const lines = [
      '{"id":"a","metadata":{"n":1e400}}',
      '{"id":"b","text":"x\\ud800"}',
      '{"id":"c","text":"\\ud83d\\ude00"}',
    ]
    expect(await readAll(folder.put('all.jsonl', lines.join('\n')))).toEqual([
      { kind: 'unreadable', from: 'all.jsonl:1', why },
      { kind: 'unreadable', from: 'all.jsonl:2', why },
      { kind: 'document', from: 'all.jsonl:3', document: { id: 'c', text: '\u{1f600}' } },
    ])
  })

  it('names a line that nests deeper than can be sent', async () => {
    const deep = `{"id":"a","text":"x","metadata":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`
    expect(await readAll(folder.put('all.jsonl', `${deep}\n{"id":"b"}`))).toEqual([
      { kind: 'unreadable', from: 'all.jsonl:1', why: 'it nests too deeply' },
      { kind: 'document', from: 'all.jsonl:2', document: { id: 'b' } },
    ])
  })

  it('takes a title from front matter up to the limit of a gate, not within a character', async () => {
    const long = `${'x'.repeat(999)}\u{1f600}`
    expect(await documentsIn(folder.put('a.md', `---\ntitle: "One\\t two"\n---\nText.`))).toMatchObject([
      { title: 'One two' },
    ])
    expect(await documentsIn(folder.put('a.md', `---\ntitle: ${long}\n---\nText.`))).toMatchObject([
      { title: 'x'.repeat(999) },
    ])
  })

  it('marks a source that looks like an address as a path', async () => {
    folder.put('\\\\host.md', 'Text.')
    folder.put('a:b.md', 'Text.')
    expect((await documentsIn()).map(({ source }) => source)).toEqual(['./\\\\host.md', './a:b.md'])
  })

  it('reports that a JSONL file has no lines', async () => {
    expect(await readAll(folder.put('none.jsonl', '\n'))).toEqual([{ kind: 'empty', from: 'none.jsonl' }])
  })
})
