/** Locates the fields of passages in rows of indexes that other programs filled. */
import { type Json, memberAt, object, type OptionKind, stringOrFunction } from 'hono-rag-gate/core/lib'
import { type Passage, readPassage } from 'hono-rag-gate/core/evidence'

/** The parts of an index row that a passage is made from. */
export interface IndexRow {
  readonly id: string
  /** Text stored beside the metadata, as in Upstash Vector. */
  readonly data?: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/**
 * Location of a field: `data` for the row's own text, a metadata member (`content`, or `page.title` if nested), or a
 * function that reads it. `undefined` and empty strings mean absent.
 */
export type PassageField = string | ((row: IndexRow) => string | undefined)

/** Locations of a passage's fields. Fields without one are looked up under the names of `USUAL_FIELDS`. */
export interface PassageFields {
  /** @default the row's `data`, else `metadata.text`, `content`, `chunk` and the like */
  readonly text?: PassageField
  /** @default `metadata.title` and the like */
  readonly title?: PassageField
  /** Lists of headings are joined. @default `metadata.section`, `heading` and the like */
  readonly section?: PassageField
  /** @default `metadata.source`, `url` and the like */
  readonly source?: PassageField
  /**
   * Should be equal for passages of one document, because signals count documents.
   *
   * @default `metadata.documentId` and the like, else the source without its fragment, else the row's id
   */
  readonly documentId?: PassageField
  /** @default `metadata.version` */
  readonly version?: PassageField
}

/** Names to try in turn for fields that `PassageFields` does not locate. */
export const USUAL_FIELDS = {
  text: ['data', 'text', 'content', 'chunk', 'page_content', 'pageContent', '_pageContentLC', 'body', 'passage'],
  title: ['title', 'document_title', 'documentTitle', 'page_title', 'pageTitle'],
  section: ['section', 'heading', 'header', 'headings'],
  source: ['source', 'url', 'uri', 'link', 'href', 'source_url', 'sourceUrl', 'path', 'file_path', 'filename'],
  documentId: ['documentId', 'document_id', 'docId', 'doc_id'],
  version: ['version'],
} as const satisfies Readonly<Record<keyof PassageFields, readonly string[]>>

/** The option `fields` of a retriever. */
export const FIELDS_OPTION: OptionKind = {
  ...object,
  options: Object.fromEntries(Object.keys(USUAL_FIELDS).map((field) => [field, stringOrFunction])),
}

/**
 * Makes the passage of a row. The remaining metadata becomes the passage's metadata.
 *
 * @returns `undefined` for a row without text
 * @throws `retriever_bad_response` for a row without id
 */
export function passageOfRow(given: IndexRow, fields: PassageFields): Passage | undefined {
  const row = unwrapped(given)
  const text = found(row, 'text', fields, nonBlank)
  if (text === undefined) return undefined
  const member = memberName(text.place) ?? ''
  const { [member]: _text, ...metadata } = row.metadata
  const part = (field: keyof PassageFields): string | undefined => found(row, field, fields, scalar)?.value
  const source = part('source')
  const parts = {
    documentId:
      part('documentId') ?? (fields.documentId === undefined ? source?.replace(/(?<=.)#.*/su, '') : undefined),
    title: part('title'),
    section: part('section'),
    source,
    version: part('version'),
    // Metadata from an index is parsed JSON, or JSON by the index's own rules.
    metadata: Object.keys(metadata).length === 0 ? undefined : (metadata as Readonly<Record<string, Json>>),
  }
  return readPassage(row.id, text.value, parts)
}

/** Where LlamaIndex stores a node as JSON, next to ids that are the string `None` if there is no document. */
const NODE = '_node_content'

/** Moves the node's text of a LlamaIndex row into its metadata; other rows are unchanged. */
function unwrapped(row: IndexRow): IndexRow {
  const { [NODE]: content, _node_type: _type, ...metadata } = row.metadata
  if (typeof content !== 'string') return row
  let node: unknown
  try {
    node = JSON.parse(content)
  } catch {
    return row
  }
  const text = memberAt(node, 'text')
  const named = Object.entries(metadata).filter(
    ([name, value]) => !/^(?:(?:ref_)?doc|document)_id$/.test(name) || value !== 'None',
  )
  return { ...row, metadata: { ...(typeof text === 'string' && { text }), ...Object.fromEntries(named) } }
}

/**
 * The metadata member by which an index filters a field of `PassageFilter`.
 *
 * @returns its path; a field without a location has its own name, and `metadata.team` becomes `team`; `undefined` if
 *   the field is read by a function, or is not in the metadata
 */
export function filteredMember(field: string, fields: PassageFields): string | undefined {
  // `checkPassageFilter` only accepts fields of a passage and metadata members.
  return memberName(fields[field as Exclude<keyof PassageFields, 'text'>] ?? field)
}

const METADATA = 'metadata.'

/** `metadata.content` is the same as `content`. @returns `undefined` if it is not a metadata member */
function memberName(place: PassageField): string | undefined {
  if (typeof place === 'function' || place === 'data') return undefined
  return place.startsWith(METADATA) ? place.slice(METADATA.length) : place
}

/** The first non-empty value among a field's locations. */
function found(
  row: IndexRow,
  field: keyof PassageFields,
  fields: PassageFields,
  read: (value: unknown) => string | undefined,
): { readonly value: string; readonly place: PassageField } | undefined {
  const given = fields[field]
  for (const place of given === undefined ? USUAL_FIELDS[field] : [given]) {
    const value = read(typeof place === 'function' ? place(row) : valueAt(row, place))
    if (value !== undefined) return { value, place }
  }
  return undefined
}

function valueAt({ data, metadata }: IndexRow, path: string): unknown {
  const name = memberName(path)
  if (name === undefined) return data
  return Object.hasOwn(metadata, name) ? metadata[name] : memberAt(metadata, ...name.split('.'))
}

function nonBlank(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** Numbers become strings and lists of headings are joined; other types count as absent. */
function scalar(value: unknown): string | undefined {
  if (Number.isFinite(value)) return String(value)
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return nonBlank(value.join(' › '))
  return nonBlank(value)
}
