import { type Dataset, datasetBytes } from '../../backtest/dataset/dataset.ts'

interface CachedPanel {
  readonly data: Promise<Dataset>
  /** 0 while it is loading. */
  bytes: number
}

/** Datasets of stored panels in shared memory, ranked once for all threads: the most recently used, up to a number of bytes.
 * Backtests that use an evicted dataset still finish on it. */
export class PanelCache {
  readonly #maxBytes: number
  /** Least recently used first. */
  readonly #panels = new Map<string, CachedPanel>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Loads a missing panel, once for all concurrent callers. A failed load is not cached. */
  get(panelId: string, load: () => Promise<Dataset>): Promise<Dataset> {
    const existing = this.#panels.get(panelId)
    if (existing) {
      this.#panels.delete(panelId)
      this.#panels.set(panelId, existing)
      return existing.data
    }
    const panel: CachedPanel = { data: load(), bytes: 0 }
    this.#panels.set(panelId, panel)
    panel.data.then(
      data => this.#countBytes(panelId, panel, datasetBytes(data)),
      () => this.#remove(panelId, panel),
    )
    return panel.data
  }

  forget(panelId: string): void {
    const panel = this.#panels.get(panelId)
    if (panel) this.#remove(panelId, panel)
  }

  /** Counts the bytes of a loaded panel and evicts others until all fit. */
  #countBytes(panelId: string, panel: CachedPanel, bytes: number): void {
    // Forgotten while it was loading.
    if (this.#panels.get(panelId) !== panel) return
    panel.bytes = bytes
    this.#bytes += bytes
    for (const [id, other] of this.#panels) {
      if (this.#bytes <= this.#maxBytes) return
      if (other.bytes > 0) this.#remove(id, other)
    }
  }

  #remove(panelId: string, panel: CachedPanel): void {
    if (this.#panels.get(panelId) !== panel) return
    this.#panels.delete(panelId)
    this.#bytes -= panel.bytes
  }
}
