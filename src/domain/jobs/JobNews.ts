type Told = (closing: boolean) => void

/** Passes on to whoever waits in this process that a job changed. What changed is for them to look up. */
export class JobNews {
  readonly #waiting = new Map<string, Set<Told>>()
  #closed = false

  /** @returns what ends the watch */
  watch(jobId: string, told: Told): () => void {
    const others = this.#waiting.get(jobId) ?? new Set()
    others.add(told)
    this.#waiting.set(jobId, others)
    if (this.#closed) queueMicrotask(() => told(true))
    return () => {
      others.delete(told)
      if (others.size === 0 && this.#waiting.get(jobId) === others) this.#waiting.delete(jobId)
    }
  }

  tell(jobId: string): void {
    for (const told of this.#waiting.get(jobId) ?? []) told(false)
  }

  /** News may have been missed. */
  tellAll(): void {
    for (const jobId of [...this.#waiting.keys()]) this.tell(jobId)
  }

  /** The process is about to end. */
  close(): void {
    this.#closed = true
    for (const waiting of [...this.#waiting.values()]) for (const told of [...waiting]) told(true)
  }
}
