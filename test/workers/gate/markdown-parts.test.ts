import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { assert, constantFrom, array, property } from 'fast-check'
import MarkdownIt from 'markdown-it'
import { parse } from 'smol-toml'
import { expect, it } from 'vitest'
import { markdownBlocks } from '../../../packages/ingest/src/markdown/blocks.ts'
import { P, S } from '../../../workers/gate/markdown-parts.ts'
import { examples } from '../../properties.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The reader of Markdown, bundled with what the Worker's configuration puts in place of parts of the parser. */
async function bundledReader(): Promise<typeof markdownBlocks> {
  const { alias } = parse(readFileSync(`${ROOT}/wrangler.toml`, 'utf8')) as { readonly alias: Record<string, string> }
  expect(Object.keys(alias)).toContain('mdurl')
  const { outputFiles } = await build({
    entryPoints: [`${ROOT}/packages/ingest/src/markdown/blocks.ts`],
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    // Wrangler replaces what a package imports of its own, too; esbuild by itself does not.
    alias: Object.fromEntries(Object.entries(alias).filter(([name]) => !name.startsWith('.'))),
    write: false,
  })
  const source = outputFiles[0]?.text ?? ''
  expect(source).not.toContain('toASCII =')
  // Its own export.
  const module = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
    markdownBlocks: typeof markdownBlocks
  }
  return module.markdownBlocks
}

const MARKS = '* ** _ ` [ ] ( ) < > ! &amp; \\ " « € 。 ¿ \u{1F600} a Straße 中 === https://a.example <mail@a.example>'
const LINKS = ['](http://münchen.example/ü?q)', '<http://a.example/[b>', '](javascript:a)', '](<b c>)', '](%)']
const PIECES = [...MARKS.split(' '), ...LINKS, ' ', '\n', '\n\n', '# ', '- ', '> ', '    ', '[a]: /b "c"\n']

it("Markdown is parsed in the Worker's bundle as by the whole parser", async () => {
  const bundled = await bundledReader()
  assert(
    property(array(constantFrom(...PIECES), { maxLength: 30 }), (pieces) => {
      const text = `# ${pieces.join('')}`
      expect(bundled(text)).toEqual(markdownBlocks(text))
    }),
    { numRuns: examples(2000) },
  )
}, 60_000)

it('recognises the same punctuation and symbols as the parser', () => {
  const { ucmicro } = new MarkdownIt().utils.lib
  const wrong: string[] = []
  for (let code = 0; code < 0x10000; code++) {
    const char = String.fromCharCode(code)
    const known = P.test(char) || S.test(char)
    const isKnown = ucmicro.P.test(char) || ucmicro.S.test(char)
    if (known !== isKnown && !/\p{Cn}|\p{Surrogate}/u.test(char)) wrong.push(code.toString(16))
  }
  expect(wrong).toEqual([])
})
