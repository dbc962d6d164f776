/** The English words by which a question is taken apart. */
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
  /\b(?:(?:dear|hi|hello|hey|thanks|thank you|good (?:morning|afternoon|evening))(?: (?:sirs?|madam|team|guys|folks|everyone|everybody))?|(?<=not |n['’]t |nothing )work(?:s|ed|ing)?|work(?:ed)? (?:it|this|things) out|going on|looking forward|your time|cheers|(?<=\b(?:tell|give|show|help|inform|remind|advise|to) )us)\b/gi

/** Stems: to ask for help, to greet, to thank, to apologise. */
export const HELP = setOf(
  'advic advis answer apolog apologis appreci ask assist bye clarif clarifi clue exampl excus explain explan ' +
    'feedback fix grate greet guid guidanc hei hello help hi hint idea input issu know miss mistak opinion overlook ' +
    'pardon pl pleas pointer possibl problem queri question recommend regard respond sens show solut solv sorri ' +
    'suggest sure tell thought thx tip troubl wai wrong',
)

/** Stems: said beside those, of how and where. Alone they may ask anything. */
export const BESIDE = setOf(
  'abl advanc alreadi anoth anybodi anyon anyth awar bad basic begin bother brief care case clear confus ' +
    'correct d dear detail differ direct doesn done easi els english exactli familiar find fine first forum found ' +
    'get give go good great happen hope ignor im inform isn iv keep kind let like look lot m mai make mani matter ' +
    'mayb mean mention mind much need next obviou ok on perhap place plain point post prefer previou previous ' +
    'properli provid quick realli relev right search seem seen sentenc short silli similar simpl situat somebodi ' +
    'someon someth soon start step still stupid taken thing think third topic tri type understand urgent want wast ' +
    'welcom wish wonder word',
)

/** Stems: what one says of oneself and of the asking. None names a thing that a question could be about. */
export const TALK = setOf(
  'actual ago although anywai anywher appear attempt best better came cant chanc check common complet consid ' +
    'definit difficult difficulti doc document doubt dumb earli end enough entir even ever everyth exist expect fact ' +
    'feel figur final follow forget forgot frustrat gentl given googl got guess hard hear heard hopefulli hour howev ' +
    'id import instead interest involv keep known least littl long lost made main manual meant never new nice nobodi ' +
    'none noth offer often part past patienc pretti put quit rather read readi reason recent rememb repli request sai ' +
    'said saw scratch sever sinc site sometim specif spend struggl stuck success support take talk thread time todai ' +
    'turn unabl unclear understood unfortun us usual wait well without work wrote yet',
)
