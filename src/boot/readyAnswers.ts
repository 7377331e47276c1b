import { setTimeout as sleep } from 'node:timers/promises'
import { sweepReadyAnswers } from '../ingest/store/readyQueries.ts'
import type { Sql } from '../postgres/client.ts'

/** The number of companies per statement. An import waits for the statement, so it must be short. */
const slice = 100
/** The delay after a start, which has more urgent work. */
const firstMs = 10_000
const betweenPassesMs = 10 * 60_000
/** The pause while another transaction changes data, when there is nothing to do but wait. */
const minPauseMs = 50

/** Prepares the ready answers that companies lack, in a pass through all of them: after an upgrade, after a
 * bulk load, and daily for those that have expired. It works half of the time, on one connection. If a pass
 * fails, the next one continues where it ended. Returns a function that stops this. */
export function keepAnswersReady(sql: Sql): () => Promise<void> {
  const stopped = new AbortController()
  const { signal } = stopped
  const working = sweep(sql, signal)
  return async () => {
    stopped.abort()
    await working
  }
}

async function sweep(sql: Sql, signal: AbortSignal): Promise<void> {
  const wait = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {})
  await wait(firstMs)
  while (!signal.aborted) {
    const startedAt = performance.now()
    const more = await sweepReadyAnswers(sql, slice).catch(() => false)
    const tookMs = performance.now() - startedAt
    await wait(more ? Math.max(minPauseMs, tookMs) : betweenPassesMs)
  }
}
