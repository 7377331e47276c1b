import { Failure } from '../../errors.ts'
import type { Manners, Network } from './network.ts'
import { sendOnce } from './sendOnce.ts'
import type { RegisterRequest } from './source.ts'
import { waitMs } from './waitMs.ts'

/** What an earlier answer was known by. */
export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

export type Outcome =
  | { readonly kind: 'fresh'; readonly bytes: Uint8Array; readonly validators: Validators }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  /** It did not come. `ends`: nothing else would come either. */
  | { readonly kind: 'failed'; readonly reason: string; readonly ends: boolean }

export interface Asking {
  readonly network: Network
  readonly manners: Manners
  /** Waits for the next request's turn. */
  readonly pace: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  /** Told before each wait. */
  readonly onRetry: (reason: string, waitMs: number) => void
}

/** Asks at the register's pace, again where it makes sense, and a bounded number of times. */
export async function askPolitely(
  request: RegisterRequest,
  known: Validators | null,
  asking: Asking,
): Promise<Outcome> {
  const { network, manners, pace, signal, onRetry } = asking
  for (let attempt = 1; ; attempt++) {
    await pace(signal)
    stopIfAsked(signal)
    const sent = await sendOnce(request, known, asking)
    stopIfAsked(signal)
    if (sent.kind !== 'again') return sent
    const { reason, askedMs, limited } = sent
    if (askedMs !== null && askedMs > manners.longestWaitMs) {
      const seconds = Math.ceil(askedMs / 1_000)
      return { kind: 'failed', ends: true, reason: `${reason} It asks to come again in ${seconds} s.` }
    }
    if (attempt >= manners.attempts) {
      return { kind: 'failed', ends: limited, reason: `${reason} It was asked ${attempt} times.` }
    }
    const wait = waitMs(attempt, network.random(), askedMs)
    onRetry(reason, wait)
    await network.sleep(wait, signal)
  }
}

/** A stop that was asked for ends whatever is under way. */
export function stopIfAsked(signal: AbortSignal): void {
  if (signal.aborted)
    throw new Failure('shutting_down', 'Stopped, as asked. Run the same command again to go on.')
}
