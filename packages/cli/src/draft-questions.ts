/** Questions out of documents, without a model: from headings, titles and the forms of FAQs. */

/** A question drafted from a document. */
export interface DraftedQuestion {
  readonly question: string
  /** Where it is from: a question that the document itself asks, a heading, or its title. */
  readonly kind: 'faq' | 'heading' | 'title'
}

/** Kinds of label that a draft has, those of a model included. */
export const DRAFTED_KINDS: ReadonlySet<string> = new Set([...(['faq', 'heading', 'title'] as const), 'model'])

/** Shorter headings name no subject, and longer ones are sentences. */
const SHORTEST_HEADING = 2
const LONGEST_HEADING = 14
/** Of a line that may be a heading or ask, characters. */
const LONGEST_LINE = 200
/** Headings that many documents have, and no question is about. */
const COMMON =
  /^(?:introduction|overview|summary|conclusion|contents|table of contents|references|see also|notes?|examples?(?:\s*[-–:\d].*)?|usage|background|appendix.*|next steps|(?:references and )?further reading|changelog|faq|frequently asked questions|use cases|(?:(?:class|instance|static|public) )?(?:parameters?|properties|methods|functions|events|arguments|options|types?|fields|members|returns?|exports|api))$/i
/** What a reference puts before a name: `Class: Client`, `Parameter: ClientOptions`. */
const SORT = /^(?:class|interface|type|function|method|parameter|property|event|module|enum):?\s+(?=[`\w])/i
/** A signature: `new Client(url[, options])`, `client.close([callback]): Promise`. */
const SIGNATURE = /^(new\s+)?([\w$.]+)\(.*\)(?::.*)?$/
/** A name with what it belongs to: `Client.close`. */
const MEMBER = /^(?:new\s+)?[\w$]+\.[\w$]/
const AUXILIARY = '(?:can|could|do|does|did|is|are|was|were|will|would|should|may|must|has|have)'
/** A question without its mark: `Is it free`, `How do I begin`, `How many keys may I have`, `Which regions are there`, `Who maintains it`. */
const ASKS = new RegExp(
  `^(?:(?:(?:how|what|when|where|why|which|whom?|whose)\\s+)?${AUXILIARY}|how\\s+(?:many|much|long|often|far|old|big|fast)(?:\\s+\\S+)?\\s+${AUXILIARY}|(?:what|which|whose)\\s+(?!(?:an?|the|each|every|all|no|nothing|your|my|our|any|some)\\s)\\S+\\s+${AUXILIARY}|who)\\b`,
  'i',
)
/** A question that is told, not asked: `How long answers live`, `What a page costs`. */
const TELLS = /^(?:how|what|when|where|which|whom|whose|why)\b/i
/** `Installing the client`. */
const GERUND = /^[A-Z]?[a-z]+ing\b/
/** `Install the client`. */
const TELLS_TO =
  /^(?:create|add|remove|delete|install|configure|set|use|run|update|change|enable|disable|deploy|build|make|get|start|stop|test|write)\b/i
/** A heading that leans on the one above it: alone it asks about nothing. */
const LEANS = /\b(?:it|its|they|them|their|this|that|these|those|here|one|ones)\b/i

/**
 * Questions that a document answers, by what it says of itself. Headings and lines that ask are taken as they are;
 * other headings are asked about in the form that a reader would type.
 *
 * @param text Markdown or plain
 * @returns each once, in the order of the document
 */
export function draftQuestions({ text, title }: { readonly text: string; readonly title?: string }): DraftedQuestion[] {
  const found = new Map<string, DraftedQuestion>()
  const keep = (question: string, kind: DraftedQuestion['kind']): void => {
    const key = question.toLowerCase()
    if (!found.has(key)) found.set(key, { question, kind })
  }
  const subject = title === undefined ? undefined : plain(title)
  if (
    subject !== undefined &&
    wordCount(subject) >= SHORTEST_HEADING &&
    !COMMON.test(subject) &&
    !LEANS.test(subject)
  ) {
    keep(asked(subject), isQuestion(subject) ? 'faq' : 'title')
  }
  let fenced = false
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced
    // Neither a heading nor a question; the patterns below take the square of a line's length.
    if (fenced || line.length > LONGEST_LINE) continue
    const heading = /^\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$/.exec(line)
    const question = /^\s*(?:[-*>]\s*)?\**\s*(?:Q(?:uestion)?\s*\d*\s*[:.)])\s*\**\s*(.+?)\s*\**$/i.exec(line)
    const bold = /^\s*\*\*(.+\?)\*\*\s*$/.exec(line)
    if (question !== null) keep(asQuestion(plain(question[1] ?? '')), 'faq')
    else if (bold !== null) keep(plain(bold[1] ?? ''), 'faq')
    else if (heading !== null) {
      const words = plain(heading[2] ?? '')
      // The title again.
      if (words.toLowerCase() === subject?.toLowerCase() || LEANS.test(words)) continue
      const count = wordCount(words)
      if (isQuestion(words)) keep(asQuestion(words), 'faq')
      else if (
        count <= LONGEST_HEADING &&
        !COMMON.test(words) &&
        (count >= SHORTEST_HEADING || subject !== undefined)
      ) {
        const isWhole = count >= SHORTEST_HEADING || MEMBER.test(words)
        keep(isWhole ? asked(words) : `${asked(words).replace(/\?$/, '')} in ${subject}?`, 'heading')
      }
    }
  }
  return [...found.values()]
}

function isQuestion(words: string): boolean {
  return words.endsWith('?') || (ASKS.test(words) && wordCount(words) >= 3)
}

function asQuestion(words: string): string {
  return words.endsWith('?') ? words : `${words}?`
}

/** `Installing the client` is asked about otherwise than `Rate limits`. */
function asked(words: string): string {
  const signature = SIGNATURE.exec(words)
  if (signature !== null)
    return signature[1] === undefined ? `What does ${signature[2]} do?` : `How do I create a new ${signature[2]}?`
  if (isQuestion(words)) return asQuestion(words)
  const lower = withoutCapital(words)
  if (/^how to\b/i.test(words)) return `How do I ${words.slice('how to '.length)}?`
  if (TELLS.test(words)) return `Can you explain ${lower}?`
  if (GERUND.test(words)) return `What is to know about ${lower}?`
  if (TELLS_TO.test(words)) return `How do I ${lower}?`
  return `What about ${lower}?`
}

/** A sentence begins with a small letter within another. A title whose words have capitals, and a name, keep theirs. */
function withoutCapital(words: string): string {
  const [first = '', ...others] = words.split(' ')
  const isTitle = others.some((word) => /^[A-Z][a-z]/.test(word))
  const isName = !/^[A-Z][a-z]+$/.test(first)
  if (isName || (isTitle && !GERUND.test(words) && !TELLS_TO.test(words))) return words
  return words.slice(0, 1).toLowerCase() + words.slice(1)
}

/** Without Markdown's marks, numbers of sections and anchors. */
function plain(words: string): string {
  return words
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]|(?<!\w)_|_(?!\w)/g, '')
    .replace(/\s*\{#[^}]*\}\s*$/, '')
    .replace(/^(?:\d+(?:\.\d+)*[.)]?|[A-Z]\.)\s+/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(SORT, '')
}

function wordCount(words: string): number {
  return words.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
