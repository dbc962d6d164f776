/**
 * Loaded before the Node tests: drizzle comes as CommonJS. For each of its hundreds of ES modules Node reads the list of what the
 * package exports anew, 180 kB, which takes two seconds of a processor in every process.
 */
import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    const isDrizzle = /^drizzle-orm(?:\/|$)/.test(specifier)
    return next(specifier, isDrizzle ? { ...context, conditions: ['node', 'require'] } : context)
  },
})
