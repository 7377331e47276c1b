/** Delays beyond this are not caught up: the pace exists to prevent such bursts. */
const maxBehindMs = 1_000

/** Spreads reads over time, so that they never exceed their share of the disk. */
export class Pace {
  readonly #bytesPerMs: number | null
  readonly #elapsedMs: () => number
  #dueMs = 0

  /** @param bytesPerSecond null for unlimited */
  constructor(bytesPerSecond: number | null, elapsedMs: () => number) {
    this.#bytesPerMs = bytesPerSecond === null ? null : bytesPerSecond / 1_000
    this.#elapsedMs = elapsedMs
  }

  /** How long to wait after reading `bytes`. */
  delayMs(bytes: number): number {
    if (this.#bytesPerMs === null) return 0
    const now = this.#elapsedMs()
    this.#dueMs = Math.max(this.#dueMs, now - maxBehindMs) + bytes / this.#bytesPerMs
    return Math.max(0, this.#dueMs - now)
  }
}
