import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type Labels = Readonly<Record<string, string>>

/** A value at the moment of a scrape. */
export interface Reading {
  readonly labels?: Labels
  readonly value: number
}

interface Description {
  readonly name: string
  /** One sentence; `docs/monitoring.md` repeats it. */
  readonly help: string
  /** Their values must be bounded: each combination is a series that a Prometheus stores for months. */
  readonly labelNames?: readonly string[]
}

type Read = () => Iterable<Reading> | Promise<Iterable<Reading>>

/** Exposes a value that may fall, read at each scrape. What is not known now has no reading, and so no series. */
export function exposeGauge(registry: Registry, description: Description, read: Read): void {
  const gauge: Gauge = new Gauge({
    ...configuration(registry, description),
    async collect() {
      const readings = await read()
      gauge.reset()
      // A reset of one without labels leaves a 0, which is no reading.
      if (description.labelNames === undefined) gauge.remove()
      for (const { labels = {}, value } of readings) gauge.set(labels, value)
    },
  })
}

/** Exposes a value that only grows while the process lives, read at each scrape. */
export function exposeCounter(registry: Registry, description: Description, read: Read): void {
  const counter: Counter = new Counter({
    ...configuration(registry, description),
    async collect() {
      const readings = await read()
      counter.reset()
      if (description.labelNames === undefined) counter.remove()
      for (const { labels = {}, value } of readings) counter.inc(labels, value)
    },
  })
}

/** What was counted of one combination of labels. */
export interface Observed {
  readonly labels: Labels
  /** How many values were at most each bound and above the one before; the last place counts those above all bounds. */
  readonly counts: ArrayLike<number>
  readonly sum: number
}

/** Exposes a histogram that is counted elsewhere: the package's own `observe` hashes its labels at each call, which takes longer than all
 * else that a request pays for being counted. */
export function exposeHistogram(
  registry: Registry,
  description: Description,
  bounds: readonly number[],
  read: () => Iterable<Observed>,
): void {
  new CountedHistogram(configuration(registry, description), bounds, read)
}

class CountedHistogram extends Histogram {
  readonly #described: Description
  readonly #bounds: readonly number[]
  readonly #read: () => Iterable<Observed>

  constructor(
    described: ReturnType<typeof configuration>,
    bounds: readonly number[],
    read: () => Iterable<Observed>,
  ) {
    super({ ...described, buckets: [...bounds] })
    this.#described = described
    this.#bounds = bounds
    this.#read = read
  }

  /** What the registry prints, in place of what the package would have counted. */
  async getForPromString() {
    const { name, help } = this.#described
    const values = [...this.#read()].flatMap(({ labels, counts, sum }) => {
      let total = 0
      const buckets = [...this.#bounds, '+Inf'].map((le, index) => {
        total += counts[index]
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total }
      })
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: total },
      ]
    })
    return { name, help, type: 'histogram', aggregator: 'sum', values }
  }
}

const configuration = (registry: Registry, { name, help, labelNames = [] }: Description) => ({
  ...{ name, help, labelNames: [...labelNames] },
  registers: [registry],
})
