/** Texts of refusals and cautions in five languages, for the option `messages`. */
export { ARABIC } from './arabic.ts'
export { CHINESE } from './chinese.ts'
export { FRENCH } from './french.ts'
export { GERMAN } from './german.ts'
export { messagesIn, type MessagesIn, preferredLanguage } from './messages-in.ts'
export { type Phrases, type Texts, textsOf } from './phrases.ts'
export { SPANISH } from './spanish.ts'
