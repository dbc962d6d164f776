/** What a sentence asks, told apart from asking for help with what stands beside it. English. */
import { terms } from './terms.ts'
import { words } from './words.ts'

const setOf = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/))
const termsOf = (list: string): ReadonlySet<string> => new Set(terms(list))

/** What joins a clause to the one before it. */
const JOINTS = setOf('but so and also then now or just again anyway still yet plus besides')
/** What a sentence may begin with before it asks. */
const LEADS = new Set([
  ...JOINTS,
  ...setOf(
    'hi hello hey please pls kindly sorry thanks thx ok okay well oh first next finally firstly secondly lastly',
  ),
])
/** Words of a negation cut at its apostrophe. */
const NEGATED = setOf('t not n')

const QUESTION_WORDS: ReadonlySet<string> = setOf('what which who whom whose when where why how whats whos wheres hows')
const AUXILIARIES: ReadonlySet<string> = setOf(
  `can could may might must shall should will would do does did is are was were am has have had cannot
   don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn dont doesnt didnt isnt cant wont couldnt`,
)
const MODALS = setOf('can could may might must should shall need have')
const EMBEDS = new Set([...QUESTION_WORDS, 'if', 'whether'])

/** A sentence that begins so says when something holds, and belongs to what was asked. */
const CONDITIONS = setOf(
  'only if unless except excluding provided providing assuming suppose without when whenever until till before not never',
)
/** So does what is said behind a question, in the same sentence. */
const LIMITS = new Set([
  ...CONDITIONS,
  ...setOf(`after since while because as though although despite given within during for with at in on by from to of than
   like even especially instead`),
])

/** Whom one asks for help. */
const HELPERS = setOf('you u someone somebody anyone anybody any some one')
/** What helpers are asked to do, by the word before them. */
const HELPS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (
    [
      [
        'can could would will might may cannot couldn wouldn won',
        `help assist answer explain clarify describe advise guide suggest recommend point tell show give provide offer
         enlighten confirm let know look respond reply comment mention think`,
      ],
      [
        'do does did don doesn didn dont doesnt didnt',
        'know think mind understand agree suggest recommend mean idea clue hint tip suggestion solution answer',
      ],
      ['is are isn aren', 'able willing familiar aware sure know help'],
      [
        'has have had hasn haven hadn',
        'seen encounter experience face tried try found find solve idea clue suggestion hint',
      ],
    ] as const
  ).flatMap(([before, helps]) => before.split(' ').map((word) => [word, termsOf(helps)] as const)),
)
/** What makes asking for help softer. */
const SOFTENERS = termsOf(
  'please kindly kind also maybe perhaps possibly happen able quick quickly brief briefly still already',
)
/** Of such words alone is what they are asked for, and what is said of the question itself. */
const HELP = termsOf(
  `help hint tip pointer idea clue suggest suggestion advice advise direction solution answer explain explanation guide
   guidance clarify clarification recommendation insight input feedback thought opinion question know let please thank
   advance right way point correct wrong miss mistake forgive excuse pardon ignorance kind sorry bear appreciate great
   greatly possible`,
)
const OF_ITSELF = termsOf(
  `right wrong correct possible even ask question answer already place forum post sense make matter problem issue known
   stupid silly dumb basic simple obvious mistake duplicate cover mention discuss ok okay clear done understand sound topic
   way fine`,
)
/** What the speaker may have done: "Did I miss something?" */
const FAULTS = termsOf('wrong miss missing mistake overlook overlooked sense correct')
/** What one asks whether one may ask for. */
const FAVOURS = termsOf('ask bother question help advice hint tip suggestion pointer clarification opinion')
/** What can be done with anything: "I do not know where to start." */
const ANY_DEED = termsOf('do done go start begin proceed solve fix resolve try look next first else ask say')
/** What one asks whether there is. */
const WAYS = termsOf('way anyone anybody someone somebody anything something solution fix chance hope possibility')
/** What helpers are asked for, and what one wishes for. */
const OF_HELP = new Set([
  ...HELP,
  ...OF_ITSELF,
  ...SOFTENERS,
  ...WAYS,
  ...ANY_DEED,
  ...[...HELPS.values()].flatMap((helps) => [...helps]),
  ...termsOf(
    `need want wish require information detail similar problem issue matter topic place forum get take taken care
     understand sure asap urgent urgently soon short moment appreciate`,
  ),
])
/** What may follow the question word of a clause. */
const SUBJECTS = setOf(
  'i we you someone anyone somebody anybody it this that these those they there the exactly so not',
)

/** Verbs that tell somebody to do something. */
const ORDERS = setOf(
  `tell explain describe give list name show find make say let provide offer discuss compare explore imagine consider
   introduce investigate complete include talk speak remind remember forget keep continue start begin come take get call
   pick put search look check see try suggest recommend advise answer reply respond solve resolve fix help assist guide
   clarify enlighten mention repeat skip spend follow proceed prepare plan point confirm share inform ask go`,
)
const WISHES = setOf('want wants wanted need needs needed wish wonder wondering curious interested seeking')
/** Fewer terms are no sentence. */
const LEAST_SAID = 3
const MINE = setOf('my our your his her their')
const ADJECTIVES = setOf('first very little simple silly stupid basic dumb quick other long last latest previous')
/** What of one's own may be talked of without asking anything. */
const OWN_ASKING = termsOf(
  'question problem issue query request situation case understanding mistake ignorance english help time post thread reply',
)

/** Of such words alone is asked what went wrong: "What am I doing wrong?" */
const OF_FAULTS = setOf(
  `am m are do did have could might was were is s has can i we be been possibly it this that exactly here wrong miss missed
   missing mistake overlook overlooking doing done go going goes went gone make making made a the on problem issue matter
   with my approach`,
)
const WENT_WRONG = setOf('wrong miss missed missing mistake overlook overlooking on problem issue matter')
/** And what helpers think of it: "What would you suggest?" */
const OF_VIEWS = setOf(
  'all guys think suggest recommend advise do say solve fix about of on in with for it this that here case situation me i to should',
)
/** "What now?", "How are you?" */
const ASKED_OF_ANYTHING =
  /^(?:(?:what|who) (?:now|next|else)|how (?:are|is|do) (?:you|it|things|everyone|we)(?: (?:all|doing|going|do|today|guys))*)$/
/** "Who can help me with this?" */
const WHO_HELPS = /^who (?:can|could|would|will|knows|has)\b/

/**
 * Whether a sentence of nothing but small talk (`isSmallTalk`) asks, tells somebody to do something, or says when something
 * holds, other than to ask for help with what stands beside it, or about the asking itself.
 *
 */
export function asksOfItsOwn(sentence: string): boolean {
  const said = without(LEADS, words(sentence))
  const [first = ''] = said
  if (speaksOfOwnThings(said)) return true
  if (QUESTION_WORDS.has(first)) return !asksOfAnything(said)
  if (AUXILIARIES.has(first)) return !asksForHelp(said)
  if (CONDITIONS.has(first)) return !isSaidOfItself(said)
  if (ORDERS.has(first)) return said.includes('yourself') || !consistsOf(said.slice(1), OF_HELP)
  // A noun with a question mark: "Ideas?", but not "Time?".
  if (sentence.includes('?') && terms(sentence).length < LEAST_SAID) return !consistsOf(said, OF_HELP)
  return asksWithin(said)
}

/** Whether a clause begins as those do that say when something holds, or for what: it belongs to what it stands beside. */
export function limits(clause: string): boolean {
  return LIMITS.has(without(JOINTS, words(clause))[0] ?? '')
}

function without(leads: ReadonlySet<string>, said: readonly string[]): readonly string[] {
  const from = said.findIndex((word) => !leads.has(word))
  return from < 0 ? [] : said.slice(from)
}

function consistsOf(said: readonly string[], allowed: ReadonlySet<string>): boolean {
  return terms(said.join(' ')).every((term) => allowed.has(term))
}

function holds(said: readonly string[], wanted: ReadonlySet<string>): boolean {
  return terms(said.join(' ')).some((term) => wanted.has(term))
}

function speaksOfOwnThings(said: readonly string[]): boolean {
  return said.some((word, at) => {
    const owned = said.slice(at + 1).find((next) => !ADJECTIVES.has(next))
    return MINE.has(word) && owned !== undefined && !consistsOf([owned], OWN_ASKING)
  })
}

/** @param said begins with a question word */
function asksOfAnything(said: readonly string[]): boolean {
  const [, auxiliary = '', subject = '', ...views] = said
  const text = said.join(' ')
  if (ASKED_OF_ANYTHING.test(text)) return true
  if (WHO_HELPS.test(text)) return consistsOf(said.slice(2), HELP)
  if (AUXILIARIES.has(auxiliary) && HELPERS.has(subject))
    return views.length > 0 && views.every((word) => OF_VIEWS.has(word))
  const asked = said.slice(1)
  return asked.every((word) => OF_FAULTS.has(word)) && asked.some((word) => WENT_WRONG.has(word))
}

/** @param said begins with an auxiliary */
function asksForHelp([auxiliary = '', ...others]: readonly string[]): boolean {
  const [subject = '', ...asked] = others.filter((word) => !NEGATED.has(word))
  // Without a subject, as in "could not find it", nothing is asked.
  if (ORDERS.has(subject)) return !asksWithin(asked)
  if (subject === 'i' || subject === 'we')
    return holds(asked, /^(?:can|could|may|might)$/.test(auxiliary) ? FAVOURS : FAULTS)
  if (HELPERS.has(subject)) {
    const [first] = terms(asked.join(' ')).filter((term) => !SOFTENERS.has(term))
    return (
      first !== undefined &&
      HELPS.get(auxiliary)?.has(first) === true &&
      consistsOf(asked, OF_HELP) &&
      !asksWithin(asked)
    )
  }
  if (subject === 'there') return holds(asked, WAYS) && consistsOf(asked, OF_HELP)
  return /^(?:it|this|that|these|those)$/.test(subject) && consistsOf(asked, OF_ITSELF)
}

/** "If possible", "if this has been asked before", "not sure whether this is right". */
function isSaidOfItself([first, second = '', ...others]: readonly string[]): boolean {
  if (first === 'not') return /^(?:sure|certain|quite|clear)$/.test(second) && !asksWithin(others)
  if (first !== 'if') return false
  if (/^(?:it|this|that|these|those)$/.test(second)) return consistsOf(others, OF_ITSELF)
  return HELPERS.has(second) ? consistsOf(others, OF_HELP) : consistsOf([second, ...others], OF_HELP)
}

/** Whether a clause within asks, or tells somebody, anything but for help. */
function asksWithin(said: readonly string[]): boolean {
  return said.some((word, at) => {
    const [next = '', afterNext = '', ...others] = said.slice(at + 1)
    if (ORDERS.has(word) && (next === 'me' || next === 'us')) return !consistsOf([afterNext, ...others], HELP)
    // "I would like to …", but not "it looks like …".
    const wishes = WISHES.has(word) || (word === 'like' && /^(?:would|d)$/.test(said[at - 1] ?? ''))
    if (wishes) return !consistsOf([next, afterNext, ...others], OF_HELP)
    if (!EMBEDS.has(word) || next === '') return false
    if (next === 'to') return !consistsOf([afterNext, ...others], ANY_DEED)
    if ((next === 'i' || next === 'we') && MODALS.has(afterNext)) return !consistsOf(others, ANY_DEED)
    if (AUXILIARIES.has(next) || next === 's') return !consistsOf([afterNext, ...others], OF_HELP)
    return !SUBJECTS.has(next)
  })
}
