import { expect, test } from 'bun:test'
import { mergeContributions } from '../../../src/domain/ingest/mergeContributions.ts'
import type { Contribution, EntityProfile } from '../../../src/model/statement.ts'

const contribution = (profile: Partial<EntityProfile>, pulledOn?: number): Contribution => ({
  profile: { market: 'KR', issuerId: '00261443', registers: true, ...profile },
  statements: [],
  filings: [],
  ...(pulledOn === undefined ? {} : { pulledOn }),
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

test('of two days of reading the later one counts, and of an unknown one that of the import', () => {
  const dayOf = (...days: (number | undefined)[]) =>
    mergeContributions(days.map(day => contribution({}, day)))[0].pulledOn
  expect([dayOf(20_000, 20_010), dayOf(20_010, 20_000), dayOf(20_000)]).toEqual([20_010, 20_010, 20_000])
  expect([dayOf(20_000, undefined), dayOf(undefined, 20_000)]).toEqual([undefined, undefined])
})
