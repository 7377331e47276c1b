import type { Part } from '../../deploy/cluster/processes.ts'

interface Sample {
  /** Minutes since the start. */
  readonly minute: number
  readonly mb: number
}

export interface MemoryTrend {
  readonly name: string
  /** Over the last half of the run, or of the last life of the process; null: too few samples. */
  readonly slopeMbPerHour: number | null
  readonly firstMb: number
  readonly lastMb: number
  readonly maxMb: number
  /** The lowest of each three minutes of the process's life. */
  readonly seriesMb: readonly number[]
  /** null: not judged, because the process was started too late. */
  readonly isFlat: boolean | null
}

const everyMs = 5_000
/** Garbage collection moves the memory by more than a leak would: the lowest of some samples counts. */
const samplesPerPoint = 6
const samplesPerSeriesPoint = 36
/** Caches fill after a start. A process that was killed later than this before the end is not judged by its half life. */
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
        // A new process does not start with the memory that the old one ended with.
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

/** The slope of the lowest samples of the last half, by least squares. */
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

/** The lowest sample of each group, without the last group where it is not full. */
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
