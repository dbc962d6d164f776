/** Memory of a local Worker, as counted by the kernel and V8, and its open files. */
import { readdirSync, readFileSync } from 'node:fs'

/** In bytes; `undefined` if unavailable on this machine. */
export interface Memory {
  /** Reachable heap of the Worker's isolate after a forced collection. */
  readonly live: number | undefined
  /** Its buffers outside the heap, including WebAssembly memory. */
  readonly buffers: number | undefined
  /** Resident memory of every workerd below this process: all isolates, the simulators, and what V8 has not collected. */
  readonly resident: number | undefined
  /** Open files and connections of the Worker's process; wrangler's proxy opens one for each inspector message. */
  readonly handles: number | undefined
}

export async function measureMemory(inspectorUrl: string): Promise<Memory> {
  const meter = await openMemoryMeter(inspectorUrl)
  try {
    return await meter.measure()
  } finally {
    meter.close()
  }
}

/** Measures any number of times over one connection: wrangler keeps closed ones. */
export interface MemoryMeter {
  measure(): Promise<Memory>
  close(): void
}

const ANSWER_WITHIN_MS = 10_000

/** The inspector's heap figures; none if it does not answer. */
interface HeapUsage {
  readonly usedSize?: number
  readonly backingStorageSize?: number
}

export async function openMemoryMeter(inspectorUrl: string): Promise<MemoryMeter> {
  // The inspector rejects clients without an origin. Node's WebSocket accepts headers, which the DOM's types lack.
  const options = { headers: { origin: 'http://localhost' } } as unknown as string[]
  const socket = new WebSocket(inspectorUrl, options)
  await new Promise((resolve) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', resolve)
    // A runtime that a flood brought down reports neither.
    setTimeout(resolve, ANSWER_WITHIN_MS).unref()
  })
  let calls = 0
  const call = (method: string): Promise<HeapUsage> =>
    new Promise((resolve) => {
      const id = ++calls
      const ended = new AbortController()
      const end = (usage: HeapUsage): void => {
        ended.abort()
        resolve(usage)
      }
      const timer = setTimeout(end, ANSWER_WITHIN_MS, {})
      ended.signal.addEventListener('abort', () => clearTimeout(timer))
      const { signal } = ended
      socket.addEventListener('close', () => end({}), { signal })
      socket.addEventListener(
        'message',
        ({ data }) => {
          const reply = JSON.parse(String(data)) as { id?: number; result?: HeapUsage }
          if (reply.id === id) end(reply.result ?? {})
        },
        { signal },
      )
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ id, method }))
      else end({})
    })
  return {
    async measure() {
      await call('HeapProfiler.collectGarbage')
      const { usedSize, backingStorageSize } = await call('Runtime.getHeapUsage')
      return { live: usedSize, buffers: backingStorageSize, ...ofProcesses() }
    },
    close: () => socket.close(),
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
    const open = ours
      .filter(([pid]) => readProc(pid, 'cmdline').includes('--inspector-addr'))
      .map(([pid]) => readdirSync(`/proc/${pid}/fd`).length)
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
