import { LRUCache } from 'lru-cache'
import { type Dataset, datasetBytes } from '../../backtest/dataset/dataset.ts'

/** Datasets of stored panels in shared memory, ranked once for all threads: the most recently used, up to a number of bytes.
 * Backtests that use an evicted dataset still finish on it. */
export class PanelCache {
  readonly #panels: LRUCache<string, Dataset, () => Promise<Dataset>>

  constructor(maxBytes: number) {
    this.#panels = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: datasetBytes,
      fetchMethod: (_panelId, _stale, { context: load }) => load(),
      // A panel that is forgotten while it loads still answers the backtests that wait for it. It is not cached.
      ignoreFetchAbort: true,
    })
  }

  get bytes(): number {
    return this.#panels.calculatedSize
  }

  /** Loads a missing panel, once for all concurrent callers. A failed load is not cached. */
  get(panelId: string, load: () => Promise<Dataset>): Promise<Dataset> {
    return this.#panels.forceFetch(panelId, { context: load })
  }

  forget(panelId: string): void {
    this.#panels.delete(panelId)
  }
}
