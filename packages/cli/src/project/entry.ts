/** Adds the gate's routes to the entry point of a Worker or another Hono app. */
import { CommandError } from '../command-error.ts'

/** Result of mounting. */
export type MountedEntry =
  /** The app now mounts the routes. */
  | { readonly kind: 'mounted'; readonly text: string }
  /** A Worker without Hono; another entry point must wrap it. */
  | { readonly kind: 'wrapped' }
  /** The routes were already mounted. */
  | { readonly kind: 'there' }

/**
 * Mounts the gate's routes in a Hono app, after its own routes.
 *
 * @param from specifier of the module that exports them as `gated`
 * @throws `CommandError` for an entry point that is neither such an app nor an object of handlers
 */
export function mountedIn(name: string, text: string, from: string): MountedEntry {
  if (importsOf(text).some((specifier) => specifier.replace(/\.[cm]?[jt]s$/, '') === from.replace(/\.m?[jt]s$/, ''))) {
    return { kind: 'there' }
  }
  const [exported, ...otherExports] = [...text.matchAll(SERVED)]
  const apps = Array.from(
    text.matchAll(/^(?:export )?(?:const|let) (\w+)(?::[^=\n]+)?\s*=\s*new \w*Hono\b/gm),
    ([, app = '']) => app,
  )
  const rest = exported === undefined ? '' : text.slice(exported.index)
  const [app, ...otherApps] = apps.filter((each) => new RegExp(`\\b${each}\\b`).test(rest))
  if (exported === undefined || otherExports.length > 0 || otherApps.length > 0) throw unreadable(name, from)
  if (app !== undefined) {
    const firstImport = /^import\b/m.exec(text)?.index ?? 0
    const quote = /^import\b[^'"\n]*"/m.test(text) ? '"' : "'"
    const end = /^import\b.*;\s*$/m.test(text) ? ';' : ''
    return {
      kind: 'mounted',
      text: [
        text.slice(0, firstImport),
        `import { gated } from ${quote}${from}${quote}${end}\n`,
        text.slice(firstImport, exported.index),
        `${app}.route(${quote}/${quote}, gated)${end}\n\n`,
        rest,
      ].join(''),
    }
  }
  if (/^\{|satisfies ExportedHandler/.test(exported[1] ?? '')) return { kind: 'wrapped' }
  throw unreadable(name, from)
}

/** Where an app is exported, or passed to a server. */
const SERVED = /^(?:export default\s+|(?:(?:const|let) \w+ = )?(?:(?:Deno|Bun)\.)?serve\()(.*)$/gm

/** Module specifiers of a module's imports. */
export function importsOf(text: string): string[] {
  return Array.from(
    text.matchAll(/^\s*(?:import|export)\b[^'"]*?['"]([^'"]+)['"]/gm),
    ([, specifier = '']) => specifier,
  )
}

function unreadable(name: string, from: string): CommandError {
  return new CommandError(
    `${name} is neither an app of Hono that is made in it and exported or served, nor an object of handlers. ` +
      `Import { gated } from '${from}' where your app is made, and mount it: app.route('/', gated)`,
  )
}
