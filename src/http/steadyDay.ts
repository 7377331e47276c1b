import type { IsoDate } from '../model/date.ts'

const steadyMs = 100

/** `today`, asked at most every tenth of a second: making a date of the clock is dear beside an answer from memory. */
export function steadyDay(today: () => IsoDate, elapsedMs: () => number): () => IsoDate {
  let day = ''
  let askedMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = elapsedMs()
    if (nowMs - askedMs > steadyMs) {
      askedMs = nowMs
      day = today()
    }
    return day
  }
}
