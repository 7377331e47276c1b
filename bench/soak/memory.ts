import type { Part } from '../../deploy/cluster/processes.ts'

interface Sample {
  /** Minutes since the start. */
  readonly minute: number
  readonly mb: number
}

export interface MemoryTrend {
  readonly name: string
  /** The slope over the second half of the run or, if the process was restarted, of its last life; null if there are too
   * few samples. */
  readonly slopeMbPerHour: number | null
  readonly firstMb: number
  readonly lastMb: number
  readonly maxMb: number
  /** The lowest sample of every three minutes since the process started. */
  readonly seriesMb: readonly number[]
  /** null: not judged, because the process was started too late. */
  readonly isFlat: boolean | null
}

const everyMs = 5_000
/** Garbage collection changes the memory by more than a leak would, so only the lowest of this many samples counts. */
const samplesPerPoint = 6
const samplesPerSeriesPoint = 36
/** Caches fill after a start, so a process that was started less than this long before the end is not judged. */
const judgedAfterMinutes = 20

/** Watches the resident memory of processes. */
export class MemoryWatch {
  readonly #startedAt = performance.now()
  readonly #samples = new Map<string, Sample[]>()
  readonly #timer: Timer

  constructor(parts: readonly Part[]) {
    const lives = new Map<string, number | null>()
    this.#timer = setInterval(() => {
      for (const part of parts) {
        const mb = part.memoryMb()
        // The memory of a new process says nothing about that of its predecessor, so the series starts over.
        if (lives.get(part.name) !== part.pid) this.#samples.set(part.name, [])
        lives.set(part.name, part.pid)
        const minute = (performance.now() - this.#startedAt) / 60_000
        if (mb !== null) this.#samples.get(part.name)?.push({ minute, mb })
      }
    }, everyMs)
  }

  stop(): MemoryTrend[] {
    clearInterval(this.#timer)
    return [...this.#samples].map(([name, samples]) => trendOf(name, samples))
  }
}

/** Fits the slope of the lowest samples of the second half by least squares. */
function trendOf(name: string, samples: readonly Sample[]): MemoryTrend {
  const half = samples.slice(Math.floor(samples.length / 2))
  const points = lowestOf(half, samplesPerPoint)
  const firstMb = points[0]?.mb ?? 0
  const lastMb = points.at(-1)?.mb ?? 0
  const maxMb = Math.max(0, ...samples.map(({ mb }) => mb))
  const lived = (samples.at(-1)?.minute ?? 0) - (samples[0]?.minute ?? 0)
  const isFlat = lived < judgedAfterMinutes ? null : lastMb <= Math.max(firstMb * 1.1, firstMb + 64)
  const seriesMb = lowestOf(samples, samplesPerSeriesPoint).map(({ mb }) => mb)
  return { name, slopeMbPerHour: slope(points), firstMb, lastMb, maxMb, seriesMb, isFlat }
}

/** The lowest sample of each group of `size`. An incomplete last group is left out. */
function lowestOf(samples: readonly Sample[], size: number): Sample[] {
  const points: Sample[] = []
  for (let at = 0; at + size <= samples.length; at += size) {
    const group = samples.slice(at, at + size)
    points.push({ minute: group[0].minute, mb: Math.min(...group.map(({ mb }) => mb)) })
  }
  return points
}

function slope(points: readonly Sample[]): number | null {
  if (points.length < 3) return null
  const mean = (of: (sample: Sample) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [minutes, mbs] = [mean(({ minute }) => minute), mean(({ mb }) => mb)]
  let [above, below] = [0, 0]
  for (const { minute, mb } of points) {
    above += (minute - minutes) * (mb - mbs)
    below += (minute - minutes) ** 2
  }
  return below === 0 ? null : (above / below) * 60
}
