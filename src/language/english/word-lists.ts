/** The English words by which a question is apart. */
import { setOf } from '../../core/text/set-of.ts'

/** With them a clause asks. */
export const QUESTION_WORDS = setOf('how what when where which who whom whose why')

/** With them it asks where they stand before its subject. */
export const AUXILIARIES = setOf(
  'are can could did do does had has have might is am must should shall was were may will would',
)

/** It is an imperative where it begins with them. */
export const ORDERS = setOf(
  'tell explain write give list name describe summarise summarize translate compare show recommend suggest compose ' +
    'calculate find help say',
)

/** Whether a clause that begins with this word asks or tells, in any letter case. */
export function isAsking(word: string): boolean {
  const said = word.toLowerCase()
  return QUESTION_WORDS.has(said) || AUXILIARIES.has(said) || ORDERS.has(said)
}

/** It says what is wanted to know. */
export const WISHES = setOf('wish wonder need wondering want interested question curious looking')

/** What is wanted is stated with them. */
export const SUGGESTS = setOf('about you wants needs fancy love for to after must should would will')

/** Who speaks, and thanks. */
export const SPEAKERS = setOf('i im ive we thx')

/** What a statement may begin with. */
export const SUBJECTS = setOf('i im ive our none nothing that there these this it we nobody you your my')

/** A clause that begins with them says when something holds, or for what: it belongs to what it stands beside. */
export const LIMITS = setOf(
  'only if unless except without when until till before not never after since while because as although though ' +
    'despite given within during for with at in on by from to of than like even especially instead',
)

/** What may join a clause to what stands before it. */
export const JOINTS = setOf('but also as or just then so and')

/** Behind them begins what is asked: "Tell me …", "I wonder whether …". */
export const BEFORE_ASKING = setOf('about regarding me us whether if')

/** The same behind a "to" of who speaks: "I would like to know …". */
export const WISHED = setOf('know understand')

/** The same at the beginning of a sentence. */
export const PLEASE = setOf('please pls kindly')

/** Set phrases of words that are otherwise no talk. */
export const PHRASES =
  /\b(?:(?:dear|hi|hello|hey|thanks|thank you|good (?:morning|afternoon|evening))(?: (?:sirs?|team|guys|everyone|everybody))?|(?<=not |n['’]t |nothing )work(?:s|ed|ing)?|going on|looking forward|your time|cheers|(?<=\b(?:tell|give|show|help|inform|remind|advise|to) )us)\b/gi

/** Stems: to ask for help, to greet, to thank, to apologise. */
export const HELP = setOf(
  'advic answer apolog apologis appreci ask assist exampl excus explain fix greet guidanc hei hello help hi hint idea issu ' +
    'know miss overlook pleas pointer possibl problem question recommend regard sens sorri suggest sure tell thought thx tip ' +
    'troubl wai wrong',
)

/** Stems: said beside those, of how and where. Alone they may ask anything. */
export const BESIDE = setOf(
  'abl advanc alreadi anybodi anyon anyth bad basic bother brief care correct d dear detail differ direct done els english ' +
    'find fine first forum found get give go good great happen hope ignor im inform isn iv keep kind let like look lot mai ' +
    'make mani mayb mean much need nobodi obviou ok on perhap place point post quick realli right search sentenc short silli ' +
    'similar simpl somebodi someon someth soon start step taken thing think tri understand urgent want welcom wish wonder ' +
    'word',
)

/** Stems: what one says of oneself and of the asking. None names a thing that a question could be about. */
export const TALK = setOf(
  'anywher document dumb everyth given googl hour long manual new none noth offer patienc quit read repli sever site stuck ' +
    'success take thread time us well without yet',
)
