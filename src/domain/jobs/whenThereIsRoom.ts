import { Failure } from '../../errors.ts'

const patienceMs = 200

/** A job has time: where the pool is full of requests whose clients wait, it waits for them. */
export async function whenThereIsRoom<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  for (;;) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'compute_busy') throw error
    }
    await Bun.sleep(patienceMs)
  }
}
