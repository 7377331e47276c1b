import { expect, test } from 'bun:test'
import { runPage } from '../../../src/features/backtestPage/runPage.ts'
import type { Job } from '../../../src/jobs/job.ts'

const job: Job = {
  id: '019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c55',
  kind: 'backtest',
  keyId: 1,
  state: 'running',
  requestId: 'request-1',
  bodyFormat: 'json',
  bodyQuery: {},
  bodyBytes: 2,
  submittedDataVersion: 1,
  dataVersion: 1,
  fingerprint: null,
  round: 0,
  done: 0,
  total: 324,
  errorCode: null,
  errorMessage: null,
  errorParam: null,
  createdAt: new Date('2026-07-01T09:30:00Z'),
  startedAt: new Date('2026-07-01T09:30:01Z'),
  finishedAt: null,
  sharedUntil: null,
}

const shown = (change: Partial<Job>) =>
  runPage({
    job: { ...job, ...change },
    address: '',
    snippets: null,
    sharing: { shares: [], newAddress: null, fault: null, refusal: null },
    refreshSeconds: 2,
  }).main.text

test.each([
  [{ done: 7 }, 'It is running: 7 of 324 configurations.', true],
  [{ done: 323 }, 'It is running: 323 of 324 configurations.', true],
  // The last task, which combines them, is under way.
  [{ done: 324 }, 'All 324 configurations have run. Computing the statistics of the best one.', false],
  [{ total: 1 }, 'It is running.', true],
  [{ total: null }, 'It is running.', false],
])('a run with %o says "%s"', (change, text, hasValue) => {
  const page = shown(change)
  expect(page).toContain(`<p id="run-state" role="status">${text}</p>`)
  expect(/<progress[^>]* value="/.test(page)).toBe(hasValue)
})
