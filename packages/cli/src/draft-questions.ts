/** Drafts questions from documents without a model: from headings, titles and FAQs. */

/** A question drafted from a document. */
export interface DraftedQuestion {
  readonly question: string
  /** Its origin: a question in the document, a heading, or the title. */
  readonly kind: 'faq' | 'heading' | 'title'
}

/** Kinds of drafted labels, including those drafted by a model. */
export const DRAFTED_KINDS: ReadonlySet<string> = new Set([...(['faq', 'heading', 'title'] as const), 'model'])

/** Length of usable headings in words: shorter ones name no subject, longer ones are sentences. */
const SHORTEST_HEADING = 2
const LONGEST_HEADING = 14
/** Maximum length of a heading or question line, characters. */
const LONGEST_LINE = 200
/** Common headings that no question is about. */
const COMMON =
  /^(?:introduction|overview|summary|conclusion|contents|table of contents|references|see also|notes?|examples?(?:\s*[-–:\d].*)?|usage|background|appendix.*|next steps|(?:references and )?further reading|changelog|faq|frequently asked questions|use cases|(?:(?:class|instance|static|public) )?(?:parameters?|properties|methods|functions|events|arguments|options|types?|fields|members|returns?|exports|api))$/i
/** Prefix before a name in reference documentation: `Class: Client`, `Parameter: ClientOptions`. */
const SORT = /^(?:class|interface|type|function|method|parameter|property|event|module|enum):?\s+(?=[`\w])/i
/** A signature: `new Client(url[, options])`, `client.close([callback]): Promise`. */
const SIGNATURE = /^(new\s+)?([\w$.]+)\(.*\)(?::.*)?$/
/** A qualified name: `Client.close`. */
const MEMBER = /^(?:new\s+)?[\w$]+\.[\w$]/
const AUXILIARY = '(?:can|could|do|does|did|is|are|was|were|will|would|should|may|must|has|have)'
/** A question without its mark: `Is it free`, `How many keys may I have`, `Which regions are there`. */
const ASKS = new RegExp(
  `^(?:(?:(?:how|what|when|where|why|which|whom?|whose)\\s+)?${AUXILIARY}|how\\s+(?:many|much|long|often|far|old|big|fast)(?:\\s+\\S+)?\\s+${AUXILIARY}|(?:what|which|whose)\\s+(?!(?:an?|the|each|every|all|no|nothing|your|my|our|any|some)\\s)\\S+\\s+${AUXILIARY}|who)\\b`,
  'i',
)
/** An indirect question: `How long answers live`, `What a page costs`. */
const TELLS = /^(?:how|what|when|where|which|whom|whose|why)\b/i
/** A gerund: `Installing the client`. */
const GERUND = /^[A-Z]?[a-z]+ing\b/
/** An imperative: `Install the client`. */
const TELLS_TO =
  /^(?:create|add|remove|delete|install|configure|set|use|run|update|change|enable|disable|deploy|build|make|get|start|stop|test|write)\b/i
const HEADING = /^\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$/
/** A heading that refers to the one above it, and is incomplete alone. */
const LEANS = /\b(?:it|its|they|them|their|this|that|these|those|here|one|ones)\b/i

/**
 * Drafts questions that a document answers. Questions in headings and lines are used as they are; other headings are
 * rephrased into questions that a reader would type.
 *
 * @param text Markdown or plain text
 * @returns distinct questions, in the order of the document
 */
export function draftQuestions({ text, title }: { readonly text: string; readonly title?: string }): DraftedQuestion[] {
  const found = new Map<string, DraftedQuestion>()
  const keep = (question: string, kind: DraftedQuestion['kind']): void => {
    const key = question.toLowerCase()
    if (!found.has(key)) found.set(key, { question, kind })
  }
  const lines = linesOutsideCode(text)
  const first = lines.map((line) => HEADING.exec(line)).find((heading) => heading?.[1] === '#')
  const subject = plain(title ?? first?.[2] ?? '') || undefined
  if (
    subject !== undefined &&
    wordCount(subject) >= SHORTEST_HEADING &&
    !COMMON.test(subject) &&
    !LEANS.test(subject)
  ) {
    keep(asked(subject), isQuestion(subject) ? 'faq' : 'title')
  }
  for (const line of lines) {
    const heading = HEADING.exec(line)
    const question = /^\s*(?:[-*>]\s*)?\**\s*(?:Q(?:uestion)?\s*\d*\s*[:.)])\s*\**\s*(.+?)\s*\**$/i.exec(line)
    const bold = /^\s*\*\*(.+\?)\*\*\s*$/.exec(line)
    if (question !== null) keep(asQuestion(plain(question[1] ?? '')), 'faq')
    else if (bold !== null) keep(plain(bold[1] ?? ''), 'faq')
    else if (heading !== null) {
      const words = plain(heading[2] ?? '')
      // A repetition of the title.
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

/** The lines that may be a heading or question; the patterns take quadratic time in the length of a line. */
function linesOutsideCode(text: string): string[] {
  let fenced = false
  return text.split('\n').filter((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced
    return !fenced && line.length <= LONGEST_LINE
  })
}

function isQuestion(words: string): boolean {
  return words.endsWith('?') || (ASKS.test(words) && wordCount(words) >= 3)
}

function asQuestion(words: string): string {
  return words.endsWith('?') ? words : `${words}?`
}

/** Phrases a question by the form of a heading: `Installing the client`, `Rate limits`, a signature. */
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

/** Lower-cases the first letter for use within a sentence, except in titles with capitalised words and in names. */
function withoutCapital(words: string): string {
  const [first = '', ...others] = words.split(' ')
  const isTitle = others.some((word) => /^[A-Z][a-z]/.test(word))
  const isName = !/^[A-Z][a-z]+$/.test(first)
  if (isName || (isTitle && !GERUND.test(words) && !TELLS_TO.test(words))) return words
  return words.slice(0, 1).toLowerCase() + words.slice(1)
}

/** Removes Markdown mark-up, section numbers and anchors. */
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
