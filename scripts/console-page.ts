/**
 * Builds the dashboard into the console package and into the ready Worker's assets:
 *
 *   node scripts/run.mjs scripts/console-page.ts
 *
 * A minified page, script and style sheet, which refer to each other and to the API by relative paths.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './local-gate.ts'

const SOURCES = join(ROOT, 'packages', 'console', 'public')

/** Generated files, by path from the root. */
export async function pageFiles(): Promise<Readonly<Record<string, string>>> {
  const [script, style] = await Promise.all([minified('dashboard.ts'), minified('dashboard.css')])
  const icon = source('favicon.svg').trim()
  const page = source('dashboard.html').replaceAll('./favicon.svg', `data:image/svg+xml,${encodeURIComponent(icon)}`)
  return {
    'packages/console/src/page/files.ts': `/** Written by scripts/console-page.ts from packages/console/public. */
export const PAGE: string = ${JSON.stringify(page)}
export const SCRIPT: string = ${JSON.stringify(script)}
export const STYLE: string = ${JSON.stringify(style)}
`,
    'workers/gate/public/v1/dashboard.html': page,
    'workers/gate/public/v1/dashboard.js': script,
    'workers/gate/public/v1/dashboard.css': style,
    // The Worker's own page has the same theme.
    'workers/gate/public/theme.css': source('theme.css'),
    'workers/gate/public/favicon.svg': source('favicon.svg'),
  }
}

function source(name: string): string {
  return readFileSync(join(SOURCES, name), 'utf8')
}

async function minified(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(SOURCES, name)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    // The minified output must work in the same browsers as the sources.
    target: 'es2022',
  })
  return outputFiles[0]!.text
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await pageFiles())) writeFileSync(join(ROOT, path), text)
}
