import { Failure } from '../../errors.ts'
import type { SyncSummary } from './syncRegister.ts'

interface Outcome {
  readonly outcome: 'done' | 'incomplete' | 'failed' | 'stopped'
  /** In plain words and without addresses, which may be internal. Null if there is nothing to say. */
  readonly reason: string | null
}

/**
 * How a run ended. Unreadable documents do not make it incomplete, because fetching them again would change
 * nothing.
 */
export function outcomeOf({ fetched, imported }: SyncSummary, isAborted: boolean): Outcome {
  if (fetched.interrupted || isAborted)
    return { outcome: 'stopped', reason: 'It was stopped. The next run continues.' }
  if (fetched.stopped !== null) return { outcome: 'failed', reason: withoutAddresses(fetched.stopped) }
  const unread = imported.skipped.length
  const skipped =
    unread === 0 ? null : `${count(unread, 'document')} could not be read and will be tried again.`
  if (fetched.failures === 0) return { outcome: 'done', reason: skipped }
  const first = fetched.failed.at(0)?.reason ?? ''
  const failed = `${count(fetched.failures, 'request')} failed, the first one: ${withoutAddresses(first)}`
  return { outcome: 'incomplete', reason: skipped === null ? failed : `${failed} ${skipped}` }
}

const count = (number: number, noun: string) =>
  `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`

/**
 * Why a run could not continue. An exception's text may contain anything, so it is not shown; the terminal or
 * the log has it.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Failure)) return 'An unexpected fault ended it. The log has the details.'
  switch (error.code) {
    case 'parameter_invalid':
    case 'body_invalid':
      return withoutAddresses(error.message)
    case 'database_unavailable':
      return 'The database could not be reached, or has no room. What is fetched is stored.'
    default:
      return 'It could not be finished. The log has the details.'
  }
}

/** Removes the request's address at the beginning and replaces others by words. */
const withoutAddresses = (text: string): string =>
  text.replace(/^https?:\/\/\S+: /, '').replaceAll(/https?:\/\/\S+/g, 'an address')
