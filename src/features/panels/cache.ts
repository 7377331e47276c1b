import { LRUCache } from 'lru-cache'
import { type Dataset, datasetBytes } from '../../backtest/dataset/dataset.ts'

interface StoredPanel {
  readonly data: Dataset
  /** The number of the interval in which the panel was last used. */
  usedIn: number
}

/**
 * Datasets of stored panels in shared memory, ranked once for all threads. Keeps the most recently used ones
 * up to a number of bytes. Backtests that use an evicted dataset still finish on it.
 */
export class PanelCache {
  readonly #panels: LRUCache<string, StoredPanel, () => Promise<Dataset>>
  #interval = 0

  constructor(maxBytes: number) {
    this.#panels = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ data }) => datasetBytes(data),
      fetchMethod: async (_panelId, _stale, { context: load }) => ({
        data: await load(),
        usedIn: this.#interval,
      }),
      // A panel that is evicted while it loads still serves the backtests that wait for it, but is not
      // cached.
      ignoreFetchAbort: true,
    })
  }

  get bytes(): number {
    return this.#panels.calculatedSize
  }

  /** Loads a missing panel, once for all concurrent callers. A failed load is not cached. */
  async get(panelId: string, load: () => Promise<Dataset>): Promise<Dataset> {
    const stored = await this.#panels.forceFetch(panelId, { context: load })
    stored.usedIn = this.#interval
    return stored.data
  }

  forget(panelId: string): void {
    this.#panels.delete(panelId)
  }

  /**
   * Call this at regular intervals. While the panels exceed `restBytes`, drops those that were not used
   * during the last `intervals`, least recently used first. Returns the number of bytes freed.
   */
  dropUnused(intervals: number, restBytes: number): number {
    this.#interval++
    const before = this.bytes
    for (const panelId of [...this.#panels.rkeys()]) {
      if (this.bytes <= restBytes) break
      // A panel that is still loading has no value yet.
      const stored = this.#panels.peek(panelId)
      if (stored !== undefined && stored.usedIn < this.#interval - intervals) this.#panels.delete(panelId)
    }
    return before - this.bytes
  }
}
