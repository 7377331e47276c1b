import { type EntityProfile, entityKey, type ParsedDocument } from '../../facts/reportedFact.ts'

import { notMended } from './laterStatements.ts'

/**
 * Merges the documents of each entity into one, in order of first mention. Days of observation (`observedOn`) are
 * dropped, because merged documents may have different ones.
 */
export function mergeParsedDocuments(documents: readonly ParsedDocument[]): ParsedDocument[] {
  const merged = new Map<string, ParsedDocument>()
  for (const document of documents) {
    const key = entityKey(document.profile)
    const known = merged.get(key)
    merged.set(key, known === undefined ? document : mergeTwo(known, document))
  }
  return [...merged.values()]
}

function mergeTwo(a: ParsedDocument, b: ParsedDocument): ParsedDocument {
  return {
    profile: mergeProfiles(a.profile, b.profile),
    reportedFacts: [...notMended(a.reportedFacts, b.reportedFacts), ...b.reportedFacts],
    filings: a.filings.concat(b.filings),
  }
}

function mergeProfiles(a: EntityProfile, b: EntityProfile): EntityProfile {
  const named = b.name === undefined || (b.nameIsFallback && a.name !== undefined) ? a : b
  const fiscalYearEnd = b.fiscalYearEnd ?? a.fiscalYearEnd
  return {
    market: a.market,
    issuerId: a.issuerId,
    ...(named.name === undefined ? {} : { name: named.name }),
    ...(named.nameIsFallback ? { nameIsFallback: true } : {}),
    ...mergeTickers(a, b),
    ...mergeOtherNames(a, b),
    ...(fiscalYearEnd === undefined ? {} : { fiscalYearEnd }),
    ...mergeAttributes(a, b),
    registers: a.registers || b.registers,
  }
}

const attributes = ['sector', 'exchange', 'status'] as const

function mergeAttributes(
  a: EntityProfile,
  b: EntityProfile,
): Pick<EntityProfile, (typeof attributes)[number]> {
  return Object.fromEntries(
    attributes.flatMap(name => {
      const value = b[name] ?? a[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Assumed tickers are dropped if a source names certain ones. */
function mergeTickers(
  a: EntityProfile,
  b: EntityProfile,
): Pick<EntityProfile, 'tickers' | 'tickersAssumed' | 'tickersRefuted'> {
  const stated = [a, b].filter(({ tickers }) => tickers !== undefined)
  const certain = stated.filter(({ tickersAssumed }) => !tickersAssumed)
  const isAssumed = certain.length === 0 && stated.length > 0
  const tickers = [...new Set((isAssumed ? stated : certain).flatMap(profile => profile.tickers ?? []))]
  const refuted = [a, b]
    .flatMap(({ tickersRefuted }) => tickersRefuted ?? [])
    .filter(ticker => !tickers.includes(ticker))
  return {
    ...(stated.length === 0 ? {} : { tickers }),
    ...(isAssumed ? { tickersAssumed: true } : {}),
    ...(refuted.length === 0 ? {} : { tickersRefuted: [...new Set(refuted)] }),
  }
}

function mergeOtherNames(a: EntityProfile, b: EntityProfile): Pick<EntityProfile, 'otherNames'> {
  if (a.otherNames === undefined && b.otherNames === undefined) return {}
  return { otherNames: [...new Set([...(a.otherNames ?? []), ...(b.otherNames ?? [])])] }
}
