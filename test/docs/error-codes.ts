import { read } from './pages.ts'

/** Every code that the gate or the ready Worker can answer with, as their unions name them. */
export function errorCodes(): string[] {
  const unions = ['src/errors.ts', 'workers/gate/errors.ts'].map((path) => read(path).matchAll(/^ {2}\| '(\w+)'/gm))
  const [gate = [], worker = []] = unions.map((union) => Array.from(union, ([, code = '']) => code))
  if (gate.length < 40 || worker.length < 30) throw new Error('The unions are written otherwise than expected')
  return [...gate, ...worker]
}
