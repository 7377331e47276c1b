/** Behind by more than this, the lost time is not made up for: a burst would be what the pace is to prevent. */
const maxBehindMs = 1_000

/** Spreads reading over time, so that it never has more than its share of the disk. */
export class Pace {
  readonly #bytesPerMs: number | null
  readonly #elapsedMs: () => number
  #dueMs = 0

  /** @param bytesPerSecond null: as fast as it goes */
  constructor(bytesPerSecond: number | null, elapsedMs: () => number) {
    this.#bytesPerMs = bytesPerSecond === null ? null : bytesPerSecond / 1_000
    this.#elapsedMs = elapsedMs
  }

  /** How long to wait after `bytes` were read. */
  delayMs(bytes: number): number {
    if (this.#bytesPerMs === null) return 0
    const now = this.#elapsedMs()
    this.#dueMs = Math.max(this.#dueMs, now - maxBehindMs) + bytes / this.#bytesPerMs
    return Math.max(0, this.#dueMs - now)
  }
}
