import { expect, test } from 'bun:test'
import { Failure } from '../../../src/errors.ts'
import { newImportTotals } from '../../../src/ingest/sync/importWaiting.ts'
import { type FetchSummary, newFetchSummary } from '../../../src/ingest/sync/options.ts'
import { describeFailure, outcomeOf } from '../../../src/ingest/sync/outcome.ts'

const ended = (fetched: Partial<FetchSummary>, skipped: string[] = [], isAborted = false) =>
  outcomeOf(
    {
      fetched: { ...newFetchSummary(), ...fetched },
      imported: { ...newImportTotals(), skipped: skipped.map(name => ({ name, reason: 'unreadable' })) },
      waiting: 0,
    },
    isAborted,
  )

test('a run is done when everything was fetched, also where a document cannot be read', () => {
  expect(ended({})).toEqual({ outcome: 'done', reason: null })
  expect(ended({}, ['a.zip'])).toEqual({
    outcome: 'done',
    reason: '1 document could not be read and will be tried again.',
  })
})

test('a reason names no address', () => {
  const url = 'http://10.0.0.7:8080/api?x=1'
  const refused = 'The register refuses the request (403). Check EDINET_KEY.'
  expect(ended({ failures: 1, stopped: `${url}: ${refused}` })).toEqual({
    outcome: 'failed',
    reason: refused,
  })
  const failed = [{ name: url, reason: `See ${url} for it.` }]
  expect(ended({ failures: 1_204, failed })).toEqual({
    outcome: 'incomplete',
    reason: '1,204 requests failed, the first one: See an address for it.',
  })
  expect(ended({ interrupted: true, stopped: 'Stopped.' }).outcome).toBe('stopped')
  expect(ended({}, [], true).outcome).toBe('stopped')
})

test('a failure shows no text of an exception', () => {
  expect(describeFailure(new Error('at /home/x: password=1'))).toBe(
    'An unexpected fault ended it. The log has the details.',
  )
  const cause = new Error('secret')
  expect(describeFailure(new Failure('internal', '/home/x is full', { cause }))).not.toContain('/home')
  expect(describeFailure(new Failure('database_unavailable', 'lost (ECONNRESET)', { cause }))).toBe(
    'The database could not be reached, or has no room. What is fetched is stored.',
  )
  expect(describeFailure(new Failure('parameter_invalid', 'Set SEC_CONTACT.'))).toBe('Set SEC_CONTACT.')
})
