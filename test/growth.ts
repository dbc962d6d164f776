/** The longer text is so many times as long. Work in proportion takes as many times as long, work by the square 256 times. */
const TIMES = 16
/** What work in proportion stays under, with room for a busy machine: work by the power of 1.4 does not. */
export const PROPORTION = 48
/** Work that takes less is too short to be compared, milliseconds. */
const SHORTEST_MS = 1
/** The short text is cheap to read, and what it takes is divided by: the least of several runs. */
const SHORT_RUNS = 3
/** A busy machine takes longer, never less: what was too long is measured again. */
const TRIES = 6

/**
 * How many times as long some work takes on a text of sixteen times the length: a ratio of CPU times within one run, since
 * a limit in seconds would say how busy the machine is.
 *
 * @param length of the longer text, characters
 */
export async function growth(work: (text: string) => unknown, unit: string, length: number): Promise<number> {
  let least = Infinity
  // Instrumented, long texts take minutes; a mutant is noticed by what it says, not by how long it takes.
  if (process.env['TEST_MUTATION'] === '1') {
    await work(unit)
    return 0
  }
  for (let tried = 0; tried < TRIES && least >= PROPORTION; tried++) {
    const short = await leastCpuMs(work, unit, length / TIMES, SHORT_RUNS)
    const long = await leastCpuMs(work, unit, length, 1)
    least = Math.min(least, long / Math.max(short, SHORTEST_MS))
  }
  return least
}

async function leastCpuMs(
  work: (text: string) => unknown,
  unit: string,
  length: number,
  runs: number,
): Promise<number> {
  const taken: number[] = []
  for (let run = 0; run < runs; run++) {
    // Another text each time: none is remembered.
    const text = `${run}${unit.repeat(length / unit.length)}`
    const before = process.cpuUsage()
    await work(text)
    const { user, system } = process.cpuUsage(before)
    taken.push((user + system) / 1000)
  }
  return Math.min(...taken)
}
