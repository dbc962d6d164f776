/**
 * `npm run dev`: runs the Worker locally for development. It is rebuilt when a source changes, and all requests and
 * messages are printed. Database, index and secrets are those of `npm start`.
 *
 * PORT sets the first port to try; RAG_GATE_HOME the folder for state and secrets; settings of the Worker may be
 * exported.
 */
import { join } from 'node:path'
import { portFromEnvironment, refuseArguments, ROOT, serveUntilStopped, startLocalGate } from './local-gate.ts'
import { exportedSettings } from './worker-settings.ts'

refuseArguments()
const home = process.env['RAG_GATE_HOME'] ?? ROOT
const starting = startLocalGate({
  stateDirectory: join(home, '.wrangler', 'state'),
  varsFile: join(home, '.dev.vars'),
  vars: exportedSettings(),
  port: portFromEnvironment(8787),
  say: console.log,
  onOutput: (text) => process.stdout.write(text),
  output: 'everything',
})
await serveUntilStopped(starting, ({ url, inspectorUrl }) =>
  console.log(`\nThe gate is up: ${url}    debugger: ${inspectorUrl}    (Ctrl-C stops it)\n`),
)
