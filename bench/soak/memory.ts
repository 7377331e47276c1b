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
  readonly isFlat: boolean
}

const everyMs = 5_000
/** Garbage collection moves the memory by more than a leak would: the lowest of some samples counts. */
const samplesPerPoint = 6

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
        // A new process begins with other memory than the old one ended with.
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
  const points: Sample[] = []
  for (let at = 0; at + samplesPerPoint <= half.length; at += samplesPerPoint) {
    const group = half.slice(at, at + samplesPerPoint)
    points.push({ minute: group[0].minute, mb: Math.min(...group.map(({ mb }) => mb)) })
  }
  const firstMb = points[0]?.mb ?? 0
  const lastMb = points.at(-1)?.mb ?? 0
  const maxMb = Math.max(0, ...samples.map(({ mb }) => mb))
  const isFlat = lastMb <= Math.max(firstMb * 1.1, firstMb + 64)
  return { name, slopeMbPerHour: slope(points), firstMb, lastMb, maxMb, isFlat }
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
