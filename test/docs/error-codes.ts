import { read } from './pages.ts'

const UNIONS = ['src/errors.ts', 'packages/console/src/errors.ts', 'workers/gate/errors.ts']

/** Every code that the gate, the console or the ready Worker can answer with, as their unions name them. */
export function errorCodes(): string[] {
  const unions = UNIONS.map((path) => read(path).matchAll(/^ {2}\| '(\w+)'/gm))
  const [gate = [], ofConsole = [], worker = []] = unions.map((union) => Array.from(union, ([, code = '']) => code))
  if (gate.length < 40 || ofConsole.length < 10 || worker.length < 20) {
    throw new Error('The unions are written otherwise than expected')
  }
  return [...gate, ...ofConsole, ...worker]
}
