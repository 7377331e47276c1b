import { expect, test } from 'bun:test'
import type { Contribution, EntityProfile } from '../../src/facts/reportedFact.ts'
import { mergeContributions } from '../../src/ingest/import/prepareBatch.ts'

const contribution = (profile: Partial<EntityProfile>): Contribution => ({
  profile: { market: 'KR', issuerId: '00261443', registers: true, ...profile },
  statements: [],
  filings: [],
})

test('tickers that are certain leave no room for assumed ones, in either order', () => {
  const assumed = contribution({ tickers: ['036570.KS', '036570.KQ'], tickersAssumed: true })
  const certain = contribution({ tickers: ['036570.KS'], tickersRefuted: ['036570.KQ'] })
  for (const order of [
    [assumed, certain],
    [certain, assumed],
    [assumed, certain, assumed],
  ]) {
    const [{ profile }] = mergeContributions(order)
    expect([profile.tickers, profile.tickersAssumed, profile.tickersRefuted]).toEqual([
      ['036570.KS'],
      undefined,
      ['036570.KQ'],
    ])
  }
  const [{ profile }] = mergeContributions([assumed, contribution({}), assumed])
  expect([profile.tickers, profile.tickersAssumed]).toEqual([['036570.KS', '036570.KQ'], true])
})
