import type { JoinPlan } from '../../backtest/asOf/settings.ts'
import { Failure } from '../../errors.ts'

/** The largest response. */
export const maxAnswerBytes = 1_024 * 1_024 * 1_024
/**
 * The limit for all responses that are being computed or sent. Without it, slow readers would fill the memory with data
 * that they have not read yet.
 */
const maxHeldBytes = 1.5 * maxAnswerBytes
/** The part that free and demo callers may use together, so that they cannot crowd out paid keys. */
const maxUnpaidBytes = 0.25 * maxAnswerBytes

/**
 * Estimated bytes of a value, of a day, and of the two cells that begin a row, with separators: the usual
 * lengths in JSON.
 */
const valueBytes = 16
const dayBytes = 13
const rowBytes = 24

export interface AnswerRoom {
  /** Counts the response's bytes and returns a function that releases them. */
  keep(bytes: number): () => void
  release(): void
}

/** Bounds the memory that responses to joins use. */
export class AnswerMemory {
  #held = 0
  #heldUnpaid = 0

  get held(): number {
    return this.#held
  }

  /**
   * @param isUnpaid whether a free or demo caller sent the join
   * @param carriedBytes bytes of columns that are only passed through
   */
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
        'The server has reached its limit of responses in memory. Read your open responses to the end, then try again in a moment.',
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
