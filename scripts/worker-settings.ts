/** Local settings of the ready Worker: exported ones, and files. */
import { parseEnv } from 'node:util'
import { SETTING_NAMES } from '../workers/gate/settings.ts'

/** The exported settings; empty ones count as unset. */
export function exportedSettings(environment: Readonly<NodeJS.ProcessEnv> = process.env): Record<string, string> {
  const given = SETTING_NAMES.map((name): [string, string] => [name, environment[name] ?? ''])
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** Parses a file of variables, such as `.dev.vars`. */
export function parseVars(text: string): Record<string, string> {
  // The result has no undefined members, despite its type.
  return parseEnv(text) as Record<string, string>
}

/**
 * Formats variables so that wrangler reads them unchanged: quoted so that values are not altered, and cannot define
 * another variable.
 *
 * @throws if a value has all kinds of quotes
 */
export function formatVars(vars: Readonly<Record<string, string>>): string {
  return Object.entries(vars)
    .map(([name, value]) => {
      // Within double quotes a backslash would be an escape character.
      const quotes = value.includes('\\') ? ["'", '`'] : ['"', "'", '`']
      const quote = quotes.find((each) => !value.includes(each))
      if (quote === undefined) throw new Error(`${name} has quotes of three kinds, which no file of variables can hold`)
      return `${name}=${quote}${value.replaceAll('$', String.raw`\$`)}${quote}\n`
    })
    .join('')
}
