import type { OptionKind } from '../core/lib/options.ts'

export const httpUrl: OptionKind = {
  words: 'a URL that begins with https:// or http://',
  holds: (url) => typeof url === 'string' && /^https?:/i.test(url) && URL.canParse(url),
}
