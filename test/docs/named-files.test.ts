import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PAGES, read, ROOT } from './pages.ts'

const SOURCES = ['src', 'workers', 'bench', 'scripts', 'd1'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.(?:ts|mjs|js|sql)$/.test(path) && !path.includes('node_modules/')),
)

/** A file of the repository: within backticks on pages, anywhere in comments. */
const NAMED = /(?<![\w/.-])(?:src|test|workers|d1|bench|scripts|docs)\/[\w./-]+\.(?:ts|mjs|js|sql|md|svg|json)(?![\w-])/g

test.each([
  ['pages', PAGES, /`[^`\n]+`|\[[^\]\n]+\]/g],
  ['comments', SOURCES, /^ *(?:\/\/|--|\/?\*).*$/gm],
])('files named in %s exist', (_, files, parts) => {
  const gone = files.flatMap((file) =>
    (read(file).match(parts) ?? [])
      .flatMap((part) => part.match(NAMED) ?? [])
      .filter((path) => !existsSync(join(ROOT, path)))
      .map((path) => `${file}: ${path}`),
  )
  expect(gone).toEqual([])
})
