/** The project's docs as documents: the corpus of `npm start`, of the soak test and of the limits benchmark. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GateDocument } from '../packages/cli/src/gate-client.ts'
import { ROOT } from './local-gate.ts'

/** All pages for users under `docs`, by path; `internal` has measurements, tables of ids and test vectors. */
export function docsCorpus(): GateDocument[] {
  const directory = join(ROOT, 'docs')
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md') && !name.startsWith('internal/'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(directory, name), 'utf8')
      return { id: `docs/${name}`, title: /^# (.+)$/m.exec(text)?.[1] ?? name, source: `docs/${name}`, text }
    })
}
