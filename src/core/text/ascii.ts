const BEYOND_ASCII = /[\u0080-\uffff]/

/**
 * Whether a text is plain ASCII, as most are. Then no folding is needed, nor Unicode character classes, which take
 * milliseconds to compile in a new isolate.
 */
export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text)
}
