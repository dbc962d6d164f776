/** What workerd spends, whatever else the machine does. */
import { readdirSync, readFileSync } from 'node:fs'

/** CPU time of the workerd below this process so far, milliseconds; it needs Linux. */
export function workerdCpuMs(): number {
  let nanoseconds = 0
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      if (name !== 'workerd' || Number(parent) !== process.pid) continue
      for (const task of readdirSync(`/proc/${pid}/task`)) {
        nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
      }
    } catch {
      // It has ended meanwhile.
    }
  }
  return nanoseconds / 1e6
}
