/** The key, the collection, and uploading documents into it. The tab keeps the key until it is closed. */
import { badge, el, part } from './elements.js'

const KEY = 'rag-gate.key'
const COLLECTION = 'rag-gate.collection'
const TIMEOUT_MS = 120_000
const FORMATS = { md: 'markdown', markdown: 'markdown', txt: 'text', html: 'html', htm: 'html' }

/** Meanings of the marks beside documents. */
const MARKS = { pass: 'Taken', error: 'Not taken', skip: 'On its way' }

/** @returns {any} an element of its type in index.html */
const byId = (id) => document.getElementById(id)
const typed = byId('collection')
const chosen = byId('collections')
const keyForm = byId('key-form')
const keyInput = byId('key')
const keyState = byId('key-state')
const documentForm = byId('document-form')
const taken = byId('taken')

let key = recall(KEY) ?? ''
/** The key being tried; responses for another key are ignored. */
let tried
let changed = () => undefined

/** Id of the collection to ask. */
export function collection() {
  return (chosen.hidden ? typed.value : chosen.value).trim() || 'default'
}

/** Authentication headers; none without a key. */
export function credentials() {
  return key === '' ? {} : { authorization: `Bearer ${key}` }
}

/** @param onChange called when another collection is chosen */
export async function startAccess(onChange) {
  changed = onChange
  typed.value = recall(COLLECTION) ?? 'default'
  for (const control of [typed, chosen]) {
    control.addEventListener('change', () => {
      remember(COLLECTION, collection())
      changed()
    })
  }
  keyForm.addEventListener('submit', (event) => {
    event.preventDefault()
    void useKey(keyInput.value.trim())
  })
  byId('forget').addEventListener('click', () => {
    void useKey('')
    keyInput.focus()
  })
  documentForm.addEventListener('submit', (event) => {
    event.preventDefault()
    void addDocuments()
  })
  changed()
  if (key !== '') await useKey(key)
}

async function useKey(value) {
  // A key must be valid in a header.
  const sound = /^[\x21-\x7e]*$/.test(value)
  const mine = (tried = {})
  key = sound ? value : ''
  keyInput.value = ''
  let state = sound ? 'Without a key you ask anonymously.' : 'This is no key: it has characters that no key has.'
  let collections
  if (key !== '') {
    keyState.textContent = 'The key is being tried …'
    keyForm.setAttribute('aria-busy', 'true')
    const { status, body } = await call('GET', '/v1/collections')
    if (mine !== tried) return
    if (status === 200) {
      state = 'The key is in use. It may add documents.'
      collections = body.collections
    } else if (status === 403) state = 'The key is in use. It may ask, and neither list collections nor add documents.'
    else {
      if (status === 401) key = ''
      state =
        status === 401 ? 'The gate does not accept this key.' : (body?.error?.message ?? 'The gate cannot be reached.')
    }
  }
  keyForm.removeAttribute('aria-busy')
  if (key === '') forget(KEY)
  else remember(KEY, key)
  keyState.textContent = state
  byId('forget').hidden = key === ''
  documentForm.hidden = collections === undefined
  offer(collections)
}

/** Shows a list of collections if the key permits it, otherwise a text field. */
function offer(collections) {
  const before = collection()
  const ids = collections?.map(({ id }) => id) ?? []
  chosen.hidden = ids.length === 0
  typed.hidden = !chosen.hidden
  chosen.replaceChildren(...ids.map((id) => el('option', { value: id }, id)))
  if (ids.length > 0) chosen.value = ids.includes(before) ? before : ids.includes('default') ? 'default' : ids[0]
  typed.value = before
  byId('collection-label').htmlFor = chosen.hidden ? 'collection' : 'collections'
  changed()
}

async function addDocuments() {
  const into = byId('into').value.trim() || collection()
  const { documents, refused } = await documentsChosen()
  if (documents.length === 0 && refused.length === 0) {
    tell([['Nothing', 'error', 'Choose a file, or paste a text.']])
    return
  }
  const send = byId('add')
  send.disabled = true
  tell([...refused, ...documents.map(({ id }) => [id, 'skip', 'Sending …'])])
  const became = await sendDocuments(documents, into)
  if (became.some(([, outcome]) => outcome === 'pass')) await choose(into)
  send.disabled = false
  const lines = [...refused, ...became]
  tell(lines)
  // Rejected documents stay in the form, so that they can be corrected.
  if (lines.every(([, outcome]) => outcome === 'pass')) documentForm.reset()
}

/** The chosen files and the pasted text as documents, and those that cannot be read. */
async function documentsChosen() {
  const documents = []
  const refused = []
  for (const file of byId('files').files) {
    const read = await readFile(file)
    if (read.document) documents.push(read.document)
    else refused.push([file.name, 'error', read.why])
  }
  const text = byId('pasted').value
  const id = byId('name').value.trim() || 'pasted.md'
  if (text.trim() !== '') documents.push(withTitle({ id, text, format: 'markdown' }))
  return { documents, refused }
}

/** Sends documents; if the gate rejects one, the others are sent nevertheless. @returns a line for each */
async function sendDocuments(documents, into) {
  const lines = []
  const left = [...documents]
  while (left.length > 0) {
    const { status, body } = await call('POST', '/v1/documents', { collection: into, documents: left })
    if (status === 200 || status === 207) {
      lines.push(
        ...body.documents.map(({ id, status: what, chunks, code }) =>
          what === 'failed'
            ? [id, 'error', code]
            : [id, 'pass', `${what}, ${chunks} ${chunks === 1 ? 'passage' : 'passages'} in ${into}`],
        ),
      )
      break
    }
    const { code, message = 'The gate cannot be reached.', param } = body?.error ?? {}
    const why = [code, message].filter(Boolean).join(': ')
    const named = /^documents\[(\d+)\]/.exec(param ?? '')?.[1]
    const [culprit] = named === undefined ? [] : left.splice(Number(named), 1)
    if (culprit !== undefined) lines.push([culprit.id, 'error', why])
    else {
      lines.push(...left.map(({ id }) => [id, 'error', why]))
      break
    }
  }
  return lines
}

/** Chooses a collection, which may be new. */
async function choose(id) {
  const { status, body } = await call('GET', '/v1/collections')
  if (status !== 200) return
  offer(body.collections)
  chosen.value = id
  remember(COLLECTION, id)
  changed()
}

function tell(lines) {
  const item = ([name, outcome, text]) =>
    el('li', {}, badge(outcome, MARKS[outcome]), el('div', {}, el('strong', {}, name), ' ', text))
  taken.replaceChildren(part('What became of it', el('ul', { className: 'taken' }, ...lines.map(item))))
}

async function readFile(file) {
  const format = FORMATS[file.name.split('.').at(-1).toLowerCase()]
  if (format === undefined) return { why: 'Markdown, text and HTML can be read here; the command line reads more.' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
    if (text.trim() === '') return { why: 'There is no text in it.' }
    return { document: withTitle({ id: file.name, text, format }) }
  } catch {
    return { why: 'It is not UTF-8, or cannot be read.' }
  }
}

/** Removes front matter from the text, and takes the title from it. */
function withTitle(document) {
  if (document.format === 'html') {
    const title = /<title[^>]*>([^<]*)<\/title>/i.exec(document.text)?.[1]
    return titled(document, title)
  }
  if (document.format === 'text') return document
  const [block, settings] = /^---[ \t]*\r?\n((?:[^\n]*\n)*?)---[ \t]*(?:\r?\n|$)/.exec(document.text) ?? ['', '']
  const isSettings = /^[\w.-]+[ \t]*:/m.test(settings)
  const text = isSettings ? document.text.slice(block.length) : document.text
  const named = isSettings ? /^title[ \t]*:[ \t]*["']?(.*?)["']?[ \t]*\r?$/m.exec(settings)?.[1] : undefined
  return titled({ ...document, text }, named ?? /^#[ \t]+(.+)$/m.exec(text)?.[1])
}

function titled(document, title) {
  const words = title
    ?.replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 1000)
  return words ? { ...document, title: words } : document
}

/** @returns status 0 without a response */
async function call(method, path, sent) {
  try {
    const response = await fetch(path, {
      method,
      headers: { ...credentials(), ...(sent === undefined ? {} : { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    })
    return { status: response.status, body: await response.json() }
  } catch {
    return { status: 0 }
  }
}

/** Storage may be disabled; the page then works without it. */
function recall(name) {
  try {
    return sessionStorage.getItem(name)
  } catch {
    return null
  }
}

function remember(name, value) {
  try {
    sessionStorage.setItem(name, value)
  } catch {
    // Storage is disabled.
  }
}

function forget(name) {
  try {
    sessionStorage.removeItem(name)
  } catch {
    // Storage is disabled.
  }
}
