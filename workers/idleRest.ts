/** Longer than the pauses of a caller who sends one request after the other. */
const idleMs = 3_000

/** Runs `release` once the thread has had no task for some seconds. On its own, the runtime collects the
 * garbage of an idle thread late, and the rows of one request may be hundreds of megabytes of it. */
export class IdleRest {
  readonly #release: () => void
  readonly #idleMs: number
  #tasks = 0
  #timer: Timer | undefined

  constructor(release: () => void, afterMs = idleMs) {
    this.#release = release
    this.#idleMs = afterMs
  }

  begin(): void {
    this.#tasks++
    clearTimeout(this.#timer)
  }

  end(): void {
    if (--this.#tasks > 0) return
    this.#timer = setTimeout(this.#release, this.#idleMs)
    this.#timer.unref()
  }
}
