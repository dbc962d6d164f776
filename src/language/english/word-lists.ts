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

/** Words by which a statement may express a wish. */
export const WISHES =
  /\b(?:question|curious|interested|looking|wish|wonder|want|need|love|must|you|fancy|would|should)(?:e?[sd]|ing)?\b/i

/** First-person subjects, and thanks (`PHRASES`). */
export const SPEAKERS = setOf('i im ive we thx')

/** Words that a statement may begin with. */
export const SUBJECTS = setOf('i im ive our none nothing that there these this it we nobody you your my')

/** Words that restrict (when, for or with what something holds): their clause is not separated from its neighbour. */
export const LIMITS = setOf(
  'only if unless except without don when until before above after not since while because as',
)

/** Words that may join a clause to the one before it. */
export const JOINTS = setOf('but also or just then so and please')

/** Words after which what is asked begins: "Tell me …", "Please describe …", "What are the steps to …". */
export const BEFORE_ASKING = setOf(
  'about define describe explain explaining for me of on please summarize to understand us',
)

/** Greetings, thanks and closings, in lower case; a name may follow. */
export const COURTESY =
  '(?:dear|hi|hello|hey|greetings|(?:many )?thanks|thank you|good (?:morning|afternoon|evening)|cheers|bye|' +
  '(?:(?:kind|best|warm) )?(?:regards|wishes)|have a \\w+ day|take care)'

/** Set phrases, some of whose words are not small talk elsewhere. */
export const PHRASES = new RegExp(
  `\\b(?:(?:(?:walk|fill) me|${COURTESY}|sorry|pardon|my ignorance|apologies|hope)(?: (?:sirs?|madam|team|guys|everyone))?|` +
    '^(?:user|human|subject)$|' +
    "(?<=not |n['’]t |nothing |it |that )work(?:s|ed|ing)?|going on|sent from my \\w+|basically|short version|\\d+ words|(?<=in (?:\\w+ ){0,2})(?:short|terms|sentences|words|english)|step by step|(?<=(?:answer|reply|respond) in )\\w+(?:ish|an|nch|ese)|" +
    'your time|(?<=\\b(?:tell|give|show|help|to) )us)\\b',
  'gi',
)

/** Stems of asking for help, greeting, thanking and apologising. */
export const HELP = setOf(
  'advic answer apologis appreci asap ask assist bot btw confirm correct curios curiou exampl excus explain guidanc help ' +
    'hiya hmm idea idk issu know lol miss ok okai pl pleas plz pointer possibl problem question sens simpli ' +
    'suggest suppos sure tell thought thx tldr ugh um wai wait wonder wrong yo',
)

/** Stems that often accompany those of `HELP`; alone they may belong to any question. */
export const BESIDE = setOf(
  'abl advanc alreadi anybodi anyon bad basic best bit bother brief care d detail direct els ' +
    'english figur find first forum get give good great happen im inform keep kind let like look m mai make ' +
    'mind much need obviou on perhap place plain point post quick quickest realli right search sentenc short ' +
    'silli similar simpl someon someth soon start step struggl taken thing think tri try two understand ' +
    'urgent want welcom',
)

/** Stems that ask for help if what is asked follows them: "What are the steps to …", "Give me an overview of …". */
export const FRAMES = setOf(
  'abl basic bit clarifi confus defin definit describ detail explan give guid info inform instruct ' +
    'introduct learn list need overview procedur process provid show step summar summari teach understand ' +
    'want',
)

/** Stems of remarks about oneself and about asking. */
export const TALK = setOf(
  'accord actual advis anoth anywher base beginn busi cant check cite concis confus cool doc dumb everyth explan ' +
    'follow forward fyi given got sincer hurri includ interest jargon long mayb meant newbi noth offici perfect probabl q ' +
    'quit read refer remind rephras repli respond rush sever still straight lot stuck hear success take three ' +
    'tia time tomorrow ty unclear well without ye yet',
)

/** Stems that often accompany those; alone they may name a topic: "In the US, …", "Tables: …". */
export const NAMED = setOf(
  'bullet bear colleagu document hour languag last list manag markdown new next none offer page site ' +
    'sourc support tabl team technic text thread us user',
)
