/** A folder of files that is gone after each test. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

export interface Folder {
  readonly path: string
  /** Writes a file, and the folders on its way. @returns its path */
  put(name: string, content: string | Uint8Array): string
}

/** To be called where tests are described. */
export function aFolder(): Folder {
  let path = ''
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'hono-rag-gate-cli-'))
  })
  afterEach(() => rmSync(path, { recursive: true, force: true }))
  return {
    get path() {
      return path
    },
    put(name, content) {
      const file = join(path, name)
      mkdirSync(join(file, '..'), { recursive: true })
      writeFileSync(file, content)
      return file
    },
  }
}
