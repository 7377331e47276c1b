import { expect, test } from 'bun:test'
import type { EntityProfile, ParsedDocument } from '../../../src/facts/reportedFact.ts'
import { mergeParsedDocuments } from '../../../src/ingest/import/mergeDocuments.ts'

const document = (profile: Partial<EntityProfile>): ParsedDocument => ({
  profile: { market: 'KR', issuerId: '00261443', registers: true, ...profile },
  reportedFacts: [],
  filings: [],
})

test('certain tickers replace assumed ones, in either order', () => {
  const assumed = document({ tickers: ['036570.KS', '036570.KQ'], tickersAssumed: true })
  const certain = document({ tickers: ['036570.KS'], tickersRefuted: ['036570.KQ'] })
  for (const order of [
    [assumed, certain],
    [certain, assumed],
    [assumed, certain, assumed],
  ]) {
    const [{ profile }] = mergeParsedDocuments(order)
    expect([profile.tickers, profile.tickersAssumed, profile.tickersRefuted]).toEqual([
      ['036570.KS'],
      undefined,
      ['036570.KQ'],
    ])
  }
  const [{ profile }] = mergeParsedDocuments([assumed, document({}), assumed])
  expect([profile.tickers, profile.tickersAssumed]).toEqual([['036570.KS', '036570.KQ'], true])
})

test('a name that a source could only guess never replaces one that another states', () => {
  const stated = document({ name: 'NCSOFT Corporation' })
  const guessed = document({ name: '00261443', nameIsFallback: true })
  for (const order of [
    [stated, guessed],
    [guessed, stated],
  ]) {
    const [{ profile }] = mergeParsedDocuments(order)
    expect([profile.name, profile.nameIsFallback]).toEqual(['NCSOFT Corporation', undefined])
  }
  const [{ profile }] = mergeParsedDocuments([document({}), guessed])
  expect([profile.name, profile.nameIsFallback]).toEqual(['00261443', true])
})

test('a ticker that a source states is not refuted by another', () => {
  const stated = document({ tickers: ['036570.KS'] })
  const refuting = document({ tickersRefuted: ['036570.KS', '036570.KQ'] })
  for (const order of [
    [stated, refuting],
    [refuting, stated],
  ]) {
    const [{ profile }] = mergeParsedDocuments(order)
    expect([profile.tickers, profile.tickersRefuted]).toEqual([['036570.KS'], ['036570.KQ']])
  }
})
