const BEYOND_ASCII = /[\u0080-\uffff]/

/**
 * Whether a text is plain ASCII, as most are: then there is nothing to fold, and the classes of Unicode, which take
 * milliseconds to build in a fresh isolate, need not be asked.
 */
export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text)
}
