/**
 * `npm run dev`: the Worker on this machine for those who change it. It is built anew when a source changes, and every
 * request and message is printed. Database, index and secrets are those of `npm start`.
 *
 * PORT chooses the first port to try; RAG_GATE_HOME another folder for state and secrets.
 */
import { join } from 'node:path'
import { portFromEnvironment, ROOT, startLocalGate } from './local-gate.ts'

const home = process.env['RAG_GATE_HOME'] ?? ROOT
let stopping = false
const starting = startLocalGate({
  stateDirectory: join(home, '.wrangler', 'state'),
  varsFile: join(home, '.dev.vars'),
  port: portFromEnvironment(8787),
  say: console.log,
  onOutput: (text) => process.stdout.write(text),
  output: 'everything',
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (stopping) return
    stopping = true
    void starting.then((gate) => gate.stop()).finally(() => process.exit(0))
  })
}
try {
  const gate = await starting
  console.log(`\nThe gate is up: ${gate.url}    debugger: ${gate.inspectorUrl}    (Ctrl-C stops it)\n`)
  await gate.stopped
  if (!stopping) throw new Error('The Worker stopped by itself.')
} catch (thrown) {
  if (!stopping) {
    console.error(thrown instanceof Error ? thrown.message : thrown)
    process.exit(1)
  }
}
