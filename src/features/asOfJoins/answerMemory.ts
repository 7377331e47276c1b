import type { JoinPlan } from '../../backtest/asOf/settings.ts'
import { Failure } from '../../errors.ts'

/** The largest answer. */
export const maxAnswerBytes = 1_024 * 1_024 * 1_024
/** Of all answers that are made or sent: slow readers would otherwise fill the memory with what they have not read. */
const maxHeldBytes = 1.5 * maxAnswerBytes
/** Of these, the answers of free and demo callers together: so none of them can take the room of a paid key. */
const maxUnpaidBytes = 0.25 * maxAnswerBytes

/** A cell of a value, of a day, and the two cells that begin a row, with what stands between them: as long as most are in JSON. */
const valueBytes = 16
const dayBytes = 13
const rowBytes = 24

export interface AnswerRoom {
  /** Counts what the answer takes, and returns what gives it back. */
  keep(bytes: number): () => void
  release(): void
}

/** Bounds the memory of answers to joins. */
export class AnswerMemory {
  #held = 0
  #heldUnpaid = 0

  get held(): number {
    return this.#held
  }

  /** @param isUnpaid whether the answer is for a free or demo caller
   * @param carriedBytes of columns that only pass through */
  reserve(
    rows: number,
    { metrics, extras }: Pick<JoinPlan, 'metrics' | 'extras'>,
    isUnpaid = false,
    carriedBytes = 0,
  ): AnswerRoom {
    const estimate =
      carriedBytes + rows * (rowBytes + metrics.length * (valueBytes + extras.length * dayBytes))
    let held = Math.min(estimate, maxAnswerBytes)
    const isFull = this.#held > 0 && this.#held + held > maxHeldBytes
    const isFullOfUnpaid = isUnpaid && this.#heldUnpaid > 0 && this.#heldUnpaid + held > maxUnpaidBytes
    if (isFull || isFullOfUnpaid) {
      throw new Failure(
        'compute_busy',
        'The server has reached its limit of answers in memory. Read your open answers to the end, and try again in a moment.',
        { param: 'rows', retryAfterSeconds: 5 },
      )
    }
    const count = (bytes: number) => {
      this.#held += bytes
      if (isUnpaid) this.#heldUnpaid += bytes
    }
    count(held)
    const release = () => {
      count(-held)
      held = 0
    }
    return {
      keep: bytes => {
        count(bytes - held)
        held = bytes
        return release
      },
      release,
    }
  }
}
