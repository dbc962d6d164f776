/** Validates documents received over HTTP. */
import { canonicalJson, isRecord, isWellFormed, type Json, utf8 } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import { withoutOwnTenant } from 'hono-rag-gate/middleware'
import type { IncomingDocument } from '@hono-rag-gate/ingest'
import { WorkerError } from '../errors.ts'

const MAX_DOCUMENTS = 1000
const MAX_ID_BYTES = 512
const MAX_TEXT_BYTES = 2_000_000
const MAX_FIELD_CHARACTERS = 1000
const MAX_METADATA_CHARACTERS = 16_000
const MAX_METADATA_DEPTH = 8
const FIELDS = 'id, text, format, title, source, version, metadata'

/**
 * Validates all documents.
 *
 * @param tenant of the caller; documents must not name another
 * @throws the error of the first invalid document, with its position
 */
export function checkDocuments(value: unknown, tenant: string): IncomingDocument[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new WorkerError('documents_required', 'documents must be a list, not empty', {
      param: 'documents',
    })
  }
  if (value.length > MAX_DOCUMENTS) {
    throw new WorkerError('too_many_documents', `At most ${MAX_DOCUMENTS} documents go in one call`, {
      param: 'documents',
    })
  }
  const documents = value.map((document: unknown, at) => checkDocument(document, tenant, `documents[${at}]`))
  const seen = new Set<string>()
  documents.forEach(({ id }, at) => {
    if (seen.has(id)) {
      throw new WorkerError('document_duplicate', 'Two documents have the same id', { param: `documents[${at}].id` })
    }
    seen.add(id)
  })
  return documents
}

function checkDocument(value: unknown, tenant: string, at: string): IncomingDocument {
  if (!isRecord(value)) {
    throw new WorkerError('document_field', 'A document must be an object', { param: at })
  }
  const { id, text, format = 'markdown', title, source, version, metadata, ...others } = value
  if (Object.keys(withoutOwnTenant(others, tenant, at)).length > 0) {
    throw new RagGateError('unknown_field', `A document may have only these members: ${FIELDS}`, {
      param: at,
    })
  }
  if (format !== 'markdown' && format !== 'text' && format !== 'html') {
    throw new WorkerError('document_field', 'format must be markdown, text or html', { param: `${at}.format` })
  }
  return {
    id: checkDocumentId(id, `${at}.id`),
    text: checkText(text, `${at}.text`),
    format,
    ...optional('title', title, at),
    ...optional('source', source, at),
    ...optional('version', version, at),
    ...checkMetadata(metadata, `${at}.metadata`),
  }
}

/**
 * Validates the id of a document.
 *
 * @returns the id in NFC, so that equivalent forms are one document
 * @throws `document_id`
 */
export function checkDocumentId(value: unknown, param: string): string {
  const id = typeof value === 'string' && value.length <= MAX_ID_BYTES ? value.normalize('NFC') : ''
  if (id === '' || id === '.' || id === '..' || /[\p{Cc}\p{Surrogate}]/u.test(id) || utf8(id).length > MAX_ID_BYTES) {
    throw new WorkerError(
      'document_id',
      `id must be a string of 1 to ${MAX_ID_BYTES} bytes without control characters`,
      {
        param,
      },
    )
  }
  return id
}

function checkText(value: unknown, param: string): string {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new WorkerError('document_text', 'text must be a string that is not empty', { param })
  }
  if (/\p{Surrogate}/u.test(value))
    throw new RagGateError('invalid_unicode', 'text is not well-formed Unicode', { param })
  if (utf8(value).length > MAX_TEXT_BYTES) {
    throw new WorkerError('document_too_large', `text may have at most ${MAX_TEXT_BYTES} bytes`, { param })
  }
  return value
}

function optional<Name extends 'title' | 'source' | 'version'>(
  name: Name,
  value: unknown,
  at: string,
): { readonly [name in Name]?: string } {
  if (value === undefined) return {}
  const param = `${at}.${name}`
  if (typeof value !== 'string' || value.length > MAX_FIELD_CHARACTERS || /[\p{Cc}\p{Surrogate}]/u.test(value)) {
    throw new WorkerError('document_field', `${name} must be a string of at most ${MAX_FIELD_CHARACTERS} characters`, {
      param,
    })
  }
  if (name === 'source' && !isPathOrWebAddress(value)) {
    throw new WorkerError('source_url', 'source must be a path or URL', { param })
  }
  // The object has only this member.
  return { [name]: value } as { readonly [name in Name]?: string }
}

/** Browsers treat a backslash as a slash, and two of them at the start as a URL with another host. */
function isPathOrWebAddress(source: string): boolean {
  const written = source.trim()
  if (/^[/\\]{2}/.test(written)) return false
  if (!/^[a-z][a-z0-9+.-]*:/i.test(written)) return true
  return /^https?:\/\/[^/\\]/i.test(written) && URL.canParse(written)
}

function checkMetadata(value: unknown, param: string): Pick<IncomingDocument, 'metadata'> {
  if (value === undefined) return {}
  const wrong = (must: string): WorkerError => new WorkerError('document_field', `metadata ${must}`, { param })
  if (!isRecord(value)) throw wrong('must be an object')
  if (isDeeper(value, MAX_METADATA_DEPTH)) throw wrong(`may nest at most ${MAX_METADATA_DEPTH} levels`)
  if (!isWellFormed(value)) throw wrong('must hold finite numbers and well-formed Unicode')
  // It was parsed from JSON.
  const metadata = value as Record<string, Json>
  if (canonicalJson(metadata).length > MAX_METADATA_CHARACTERS) {
    throw wrong(`may have at most ${MAX_METADATA_CHARACTERS} characters as JSON`)
  }
  return { metadata }
}

/** Whether a JSON value nests deeper than `depth`; the body's own depth limit bounds the recursion. */
function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1))
}
