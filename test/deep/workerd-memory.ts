/** How much memory a local Worker takes, as the kernel and as V8 count it, and what it holds open. */
import { readdirSync, readFileSync } from 'node:fs'

/** In bytes; what cannot be known on this machine is `undefined`. */
export interface Memory {
  /** What the Worker's isolate still reaches after a forced collection. */
  readonly live: number | undefined
  /** What its buffers take beside that, WebAssembly's memory among them. */
  readonly buffers: number | undefined
  /** Resident memory of every workerd below this process: all isolates, the simulators, and what V8 has not collected. */
  readonly resident: number | undefined
  /** Files and connections that those hold open: a number, no bytes. */
  readonly handles: number | undefined
}

export async function measureMemory(inspectorUrl: string): Promise<Memory> {
  const { usedSize, backingStorageSize } = await heapUsage(inspectorUrl)
  return { live: usedSize, buffers: backingStorageSize, ...ofProcesses() }
}

const ANSWER_WITHIN_MS = 10_000

/** What the inspector says of the heap; nothing where it does not answer. */
interface HeapUsage {
  readonly usedSize?: number
  readonly backingStorageSize?: number
}

async function heapUsage(url: string): Promise<HeapUsage> {
  // The inspector turns away clients without an origin. Node's WebSocket takes headers, which the DOM's types do not know.
  const options = { headers: { origin: 'http://localhost' } } as unknown as string[]
  const socket = new WebSocket(url, options)
  try {
    return await new Promise<HeapUsage>((resolve) => {
      const send = (id: number, method: string): void => socket.send(JSON.stringify({ id, method }))
      socket.addEventListener('open', () => send(1, 'HeapProfiler.collectGarbage'))
      socket.addEventListener('error', () => resolve({}))
      socket.addEventListener('message', ({ data }) => {
        const reply = JSON.parse(String(data)) as { id?: number; result?: HeapUsage }
        if (reply.id === 1) send(2, 'Runtime.getHeapUsage')
        if (reply.id === 2) resolve(reply.result ?? {})
      })
      setTimeout(() => resolve({}), ANSWER_WITHIN_MS).unref()
    })
  } finally {
    socket.close()
  }
}

function ofProcesses(): Pick<Memory, 'resident' | 'handles'> {
  try {
    const parents = new Map<number, { parent: number; name: string }>()
    for (const pid of readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)) {
      const [, name = '', parent = ''] = /^\d+ \((.*)\) \S (\d+)/.exec(readProc(pid, 'stat')) ?? []
      parents.set(pid, { parent: Number(parent), name })
    }
    const isOurs = (pid: number): boolean =>
      pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid)?.parent ?? 0))
    const ours = [...parents].filter(([pid, { name }]) => name === 'workerd' && isOurs(pid))
    const kilobytes = ours.map(([pid]) => Number(/^VmRSS:\s+(\d+) kB/m.exec(readProc(pid, 'status'))?.[1] ?? 0))
    const open = ours.map(([pid]) => readdirSync(`/proc/${pid}/fd`).length)
    const sum = (of: readonly number[]): number => of.reduce((soFar, each) => soFar + each, 0)
    return { resident: sum(kilobytes) * 1024, handles: sum(open) }
  } catch {
    // There is no /proc.
    return { resident: undefined, handles: undefined }
  }
}

/** A process may end while it is read. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
