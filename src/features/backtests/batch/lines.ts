import type { BatchProgressLine } from '../../../backtest/batchResult.ts'
import { type BatchTrial, summariseBatch } from '../../../backtest/pipeline/batch.ts'
import type { BatchFailure, BatchPart } from '../../../backtest/pool/runBatch.ts'
import type { ErrorBody } from '../../../http/errors.ts'
import type { BatchErrorLine } from './schema.ts'

/** The interval after which a silent connection gets a line, so that no proxy considers it dead. */
const heartbeatMs = 10_000

const pieceBytes = 65_536

interface LineOptions {
  /** The number of backtests in the batch. */
  readonly size: number
  readonly errorOf: (failure: BatchFailure['failure']) => ErrorBody['error']
  /** Stops the batch. */
  readonly stop: () => void
  readonly silenceMs?: number
}

/**
 * The response to a batch as NDJSON: results and errors in order of completion, progress during silences, and
 * a final summary. Without the summary the response was cut off. The next part is taken only after the last
 * one is read.
 */
export async function* batchLines(
  parts: AsyncGenerator<BatchPart, void, undefined>,
  { size, errorOf, stop, silenceMs = heartbeatMs }: LineOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const trials: BatchTrial[] = []
  let failed = 0
  try {
    for (let next = parts.next(); ; ) {
      const found = await withinSilence(next, silenceMs)
      if (found === null) {
        const done = trials.length + failed
        yield line({ object: 'batch_progress', done, batch_size: size } satisfies BatchProgressLine)
        continue
      }
      if (found.done) break
      const { lines, trials: some, failures } = found.value
      trials.push(...some)
      failed += failures.length
      // Sent in small pieces, so that a slow client that keeps reading is not taken for a stalled one.
      for (let at = 0; at < lines.length; at += pieceBytes) yield lines.subarray(at, at + pieceBytes)
      for (const { index, failure } of failures) {
        const error = errorOf(failure)
        yield line({ object: 'batch_error', index, batch_size: size, error } satisfies BatchErrorLine)
      }
      next = parts.next()
    }
    yield line(summariseBatch(trials, size))
  } finally {
    // Stops the batch first: `return` waits for work in progress, which would otherwise run to its end.
    stop()
    await parts.return()
  }
}

const line = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`)

/** Resolves to null if the promise takes longer. */
async function withinSilence<T>(promise: Promise<T>, silenceMs: number): Promise<T | null> {
  let timer: Timer | undefined
  const silence = new Promise<null>(resolve => {
    timer = setTimeout(() => resolve(null), silenceMs)
  })
  try {
    return await Promise.race([promise, silence])
  } finally {
    clearTimeout(timer)
  }
}
