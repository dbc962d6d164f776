/** English word lists for splitting a question and recognising small talk. */
import { setOf } from '../../core/text/set-of.ts'

/** Question words. */
export const QUESTION_WORDS = setOf('how what when where which who whom whose why')

/** Auxiliaries: before its subject they make a clause a question. */
export const AUXILIARIES = setOf(
  'are can could did do does had has have might is am must should shall was were may will would',
)

/** Verbs that make a clause that begins with them a request. */
export const ORDERS = setOf(
  'tell explain write give list name describe summarise summarize translate compare show recommend suggest compose ' +
    'calculate find help say',
)

/** Whether a clause that begins with this word is a question or request; in any letter case. */
export function isAsking(word: string): boolean {
  const said = word.toLowerCase()
  return QUESTION_WORDS.has(said) || AUXILIARIES.has(said) || ORDERS.has(said)
}

/** Words that say what the asker wants to know. */
export const WISHES = setOf('wish wonder need wondering want interested question curious looking')

/** Words by which a statement may express a wish or introduce a topic. */
export const SUGGESTS = setOf('about you wants needs fancy love for to after must should would will')

/** First-person subjects, and thanks (`PHRASES`). */
export const SPEAKERS = setOf('i im ive we thx')

/** Words that a statement may begin with. */
export const SUBJECTS = setOf('i im ive our none nothing that there these this it we nobody you your my')

/** Words that begin a restricting clause (when or for what something holds), which is not separated from its neighbour. */
export const LIMITS = setOf('only if unless except without when until before not after since while because as')

/** Words that may join a clause to the one before it. */
export const JOINTS = setOf('but also or just then so and')

/** Words after which what is asked begins: "Tell me …", "Please describe …", "What are the steps to …". */
export const BEFORE_ASKING = setOf(
  'about clarify define describe explain explaining for if me of on please pls regarding summarize to ' +
    'understand us whether',
)

/** Greetings, thanks and closings, in lower case; a name may follow. */
export const COURTESY =
  '(?:dear|hi|hello|hey|greetings|(?:many )?thanks|thank you|good (?:morning|afternoon|evening)|cheers|bye|' +
  '(?:(?:kind|best|warm) )?(?:regards|wishes)|have a \\w+ day|take care)'

/** Set phrases, some of whose words are not small talk elsewhere. */
export const PHRASES = new RegExp(
  `\\b(?:(?:(?:walk|fill) me|${COURTESY}|sorry|pardon|my ignorance|apologies|hope)(?: (?:sirs?|team|guys|everyone))?|` +
    "(?<=not |n['’]t |nothing |it |that )work(?:s|ed|ing)?|going on|" +
    'looking forward|your time|(?<=\\b(?:tell|give|show|help|to) )us)\\b',
  'gi',
)

/** Stems of asking for help, greeting, thanking and apologising. */
export const HELP = setOf(
  'advic answer apologis appreci ask assist exampl excus explain guidanc help hint idea issu know miss ok ' +
    'pl pleas pointer possibl problem question recommend sens suggest suppos sure tell thought thx ' +
    'tip troubl wai wrong',
)

/** Stems that often accompany those of `HELP`; alone they may belong to any question. */
export const BESIDE = setOf(
  'abl advanc alreadi anybodi anyon anyth bad basic best bit bother brief care correct d detail differ ' +
    'direct easiest els english figur find fine first forum found get give go good great happen im ' +
    'inform iv keep kind let like look lot m mai make mean mind much need obviou on perhap place point post ' +
    'quick quickest realli right search sentenc short silli similar simpl somebodi someon someth soon ' +
    'start step struggl taken thing think tri try understand urgent want welcom wish wonder word',
)

/** Stems that ask for help if what is asked follows them: "What are the steps to …", "Give me an overview of …". */
export const FRAMES = setOf(
  'abl basic bit clarifi confus curiou defin definit describ detail explan give guid info inform instruct ' +
    'introduct learn list need overview procedur process provid show step summar summari teach understand want',
)

/** Stems that request the form of an answer, after "in" and "step": "In two sentences, …", "…, step by step". */
export const FORMS = setOf('plain sentenc short step term two')

/** Stems of remarks about oneself and about asking; none names a topic of questions. */
export const TALK = setOf(
  'anywher document dumb everyth given googl hour long manual new none noth offer patienc quit read repli sever site stuck ' +
    'success take thread time us well without yet',
)
