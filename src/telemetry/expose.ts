import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type Labels = Readonly<Record<string, string>>

/** A value at the moment of a scrape. */
export interface Reading {
  readonly labels?: Labels
  readonly value: number
}

interface Description {
  readonly name: string
  /** One sentence, repeated in `docs/monitoring.md`. */
  readonly help: string
  /** Their values must be bounded, because each combination is a series that Prometheus stores for months. */
  readonly labelNames?: readonly string[]
}

type Read = () => Iterable<Reading> | Promise<Iterable<Reading>>

/** Exposes a value that may decrease, read at each scrape. An unknown value has no reading, and therefore no
 * series. */
export function exposeGauge(registry: Registry, description: Description, read: Read): void {
  const gauge: Gauge = new Gauge({
    ...configuration(registry, description),
    async collect() {
      const readings = await read()
      gauge.reset()
      // Resetting a gauge without labels would leave a 0, which was never read.
      if (description.labelNames === undefined) gauge.remove()
      for (const { labels = {}, value } of readings) gauge.set(labels, value)
    },
  })
}

/** Exposes a value that only increases while the process runs, read at each scrape. */
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

/** The counts for one combination of labels. */
export interface Observed {
  readonly labels: Labels
  /** How many values were at most each bound and above the previous one. The last element counts the values
   * above all bounds. */
  readonly counts: ArrayLike<number>
  readonly sum: number
}

/** Exposes a histogram that is counted elsewhere: the package's own `observe` hashes its labels at each call,
 * which takes longer than the rest of the counting. */
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

  /** What the registry prints, in place of the package's own counts. */
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
  name,
  help,
  labelNames: [...labelNames],
  registers: [registry],
})
