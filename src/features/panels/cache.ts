import { type Dataset, datasetBytes } from '../../backtest/dataset/dataset.ts'

interface Kept {
  readonly data: Promise<Dataset>
  /** 0 while it is being loaded. */
  bytes: number
}

/** Datasets of stored panels in shared memory, ranked once for all threads: those used last, up to a number of bytes. A
 * dataset that was pushed out lives on until the backtests that have it are done. */
export class PanelCache {
  readonly #most: number
  /** Those used last come last. */
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  constructor(mostBytes: number) {
    this.#most = mostBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Loads what is not there, once for all who ask meanwhile. A load that fails is not remembered. */
  get(panelId: string, load: () => Promise<Dataset>): Promise<Dataset> {
    const found = this.#kept.get(panelId)
    if (found) {
      this.#kept.delete(panelId)
      this.#kept.set(panelId, found)
      return found.data
    }
    const entry: Kept = { data: load(), bytes: 0 }
    this.#kept.set(panelId, entry)
    entry.data.then(
      data => this.#weigh(panelId, entry, datasetBytes(data)),
      () => this.#drop(panelId, entry),
    )
    return entry.data
  }

  forget(panelId: string): void {
    const entry = this.#kept.get(panelId)
    if (entry) this.#drop(panelId, entry)
  }

  #weigh(panelId: string, entry: Kept, bytes: number): void {
    if (this.#kept.get(panelId) !== entry) return
    entry.bytes = bytes
    this.#bytes += bytes
    for (const [id, other] of this.#kept) {
      if (this.#bytes <= this.#most) return
      if (other.bytes > 0) this.#drop(id, other)
    }
  }

  #drop(panelId: string, entry: Kept): void {
    if (this.#kept.get(panelId) !== entry) return
    this.#kept.delete(panelId)
    this.#bytes -= entry.bytes
  }
}
