/** Where the rows of an index that other programs filled keep what a passage is made of. */
import { type Json, memberAt, object, type OptionKind, stringOrFunction } from 'hono-rag-gate/core/lib'
import { type Passage, readPassage } from 'hono-rag-gate/core/evidence'

/** A row of an index, as far as a passage is made of it. */
export interface IndexRow {
  readonly id: string
  /** The text that an index such as Upstash Vector keeps beside the metadata. */
  readonly data?: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/**
 * Where one part of a passage stands: `data` for the row's own text, the name of a member of its metadata (`content`, or
 * `page.title` for a member of a member), or a function that reads it. `undefined` and empty texts mean that it is not
 * there.
 */
export type PassageField = string | ((row: IndexRow) => string | undefined)

/** Where the parts of a passage stand. A part that is not named is looked up under the names of `USUAL_FIELDS`. */
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
   * Passages of one document should say so: signals count documents.
   *
   * @default `metadata.documentId` and the like, else the source without its fragment, else the row's id
   */
  readonly documentId?: PassageField
  /** @default `metadata.version` */
  readonly version?: PassageField
}

/** Names that are tried in turn for a part that `PassageFields` does not name. */
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
 * The passage in a row. The rest of the row's metadata becomes the passage's own.
 *
 * @returns `undefined` for a row in which there is no text
 * @throws `retriever_bad_response` for a row without id
 */
export function passageOfRow(given: IndexRow, fields: PassageFields): Passage | undefined {
  const row = unwrapped(given)
  const text = found(row, 'text', fields, nonBlank)
  if (text === undefined) return undefined
  const { [memberName(text.place) ?? '']: _text, ...metadata } = row.metadata
  const part = (field: keyof PassageFields): string | undefined => found(row, field, fields, scalar)?.value
  const source = part('source')
  const parts = {
    documentId:
      part('documentId') ?? (fields.documentId === undefined ? source?.replace(/(?<=.)#.*$/su, '') : undefined),
    title: part('title'),
    section: part('section'),
    source,
    version: part('version'),
    // What an index returns came out of a JSON parser, or is JSON by the index's own rules.
    metadata: Object.keys(metadata).length === 0 ? undefined : (metadata as Readonly<Record<string, Json>>),
  }
  return readPassage(row.id, text.value, parts)
}

/** What LlamaIndex writes beside a node: the node as JSON, and ids that are the text `None` where it has no document. */
const NODE = '_node_content'

/** A row of LlamaIndex with the text of its node among its metadata; any other as it is. */
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
 * Under which member of a row's metadata a filter finds a field of `PassageFilter`.
 *
 * @returns the path of the member; a field that is not named has its own name, and `metadata.team` is `team`;
 *   `undefined` where it is read by a function, or is no metadata
 */
export function filteredMember(field: string, fields: PassageFields): string | undefined {
  // A field of a passage, or a member of its metadata: `checkPassageFilter` knows no others.
  return memberName(fields[field as Exclude<keyof PassageFields, 'text'>] ?? field)
}

const METADATA = 'metadata.'

/** `metadata.content` is another way to write `content`. @returns `undefined` for what is no member of the metadata */
function memberName(place: PassageField): string | undefined {
  if (typeof place === 'function' || place === 'data') return undefined
  return place.startsWith(METADATA) ? place.slice(METADATA.length) : place
}

/** A field of a row: the first of its places with something in it. */
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

/** Numbers are names too, and headings may come as a list; anything else is not what was looked for. */
function scalar(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')) {
    return nonBlank(value.join(' › '))
  }
  return nonBlank(value)
}
