/** CPU time of workerd alone, for machines with other load. */
import { readdirSync, readFileSync } from 'node:fs'

/** CPU time so far of all workerd processes below this one, at any depth, milliseconds; needs Linux. */
export function workerdCpuMs(): number {
  const processes = new Map<number, { readonly name: string; readonly parent: number }>()
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      processes.set(Number(pid), { name, parent: Number(parent) })
    } catch {
      // The process has ended in the meantime.
    }
  }
  const isBelow = (pid: number): boolean => pid === process.pid || (pid > 1 && isBelow(processes.get(pid)?.parent ?? 0))
  let nanoseconds = 0
  for (const [pid, { name }] of processes) {
    try {
      if (name !== 'workerd' || !isBelow(pid)) continue
      for (const task of readdirSync(`/proc/${pid}/task`)) {
        nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
      }
    } catch {
      // The process has ended in the meantime.
    }
  }
  return nanoseconds / 1e6
}
