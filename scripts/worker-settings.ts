/** Settings of the ready Worker on this machine: those that are exported, and files of them. */
import { parseEnv } from 'node:util'
import { SETTING_NAMES } from '../workers/gate/settings.ts'

/** The settings that are exported. An empty one says nothing. */
export function exportedSettings(environment: Readonly<NodeJS.ProcessEnv> = process.env): Record<string, string> {
  const given = SETTING_NAMES.map((name): [string, string] => [name, environment[name] ?? ''])
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** Reads a file of variables, such as `.dev.vars`. */
export function parseVars(text: string): Record<string, string> {
  // No member of what it gives is undefined, against its type.
  return parseEnv(text) as Record<string, string>
}

/**
 * A file of variables that wrangler reads as they are: within quotes that leave the value alone, and with nothing in it
 * that could name another variable.
 *
 * @throws when a value has quotes of every kind
 */
export function formatVars(vars: Readonly<Record<string, string>>): string {
  return Object.entries(vars)
    .map(([name, value]) => {
      // Within double quotes a backslash would mean something.
      const quotes = value.includes('\\') ? ["'", '`'] : ['"', "'", '`']
      const quote = quotes.find((each) => !value.includes(each))
      if (quote === undefined) throw new Error(`${name} has quotes of three kinds, which no file of variables can hold`)
      return `${name}=${quote}${value.replaceAll('$', String.raw`\$`)}${quote}\n`
    })
    .join('')
}
