import type { Contribution, EntityProfile } from '../../model/statement.ts'

/** One contribution for each entity, in the order in which they are first named. Days of reading (`pulledOn`) are lost: what
 * was read on two days is not said on one. */
export function mergeContributions(contributions: readonly Contribution[]): Contribution[] {
  const merged = new Map<string, Contribution>()
  for (const contribution of contributions) {
    const key = `${contribution.profile.market} ${contribution.profile.issuerId}`
    const known = merged.get(key)
    merged.set(key, known === undefined ? contribution : join(known, contribution))
  }
  return [...merged.values()]
}

function join(a: Contribution, b: Contribution): Contribution {
  return {
    profile: joinProfiles(a.profile, b.profile),
    statements: a.statements.concat(b.statements),
    filings: a.filings.concat(b.filings),
  }
}

function joinProfiles(a: EntityProfile, b: EntityProfile): EntityProfile {
  const named = b.name === undefined || (b.nameIsFallback && a.name !== undefined) ? a : b
  return {
    market: a.market,
    issuerId: a.issuerId,
    ...(named.name === undefined ? {} : { name: named.name }),
    ...(named.nameIsFallback ? { nameIsFallback: true } : {}),
    ...joinTickers(a, b),
    ...otherNames(a, b),
    ...pickYearEnd(b.fiscalYearEnd ?? a.fiscalYearEnd),
    registers: a.registers || b.registers,
  }
}

/** Tickers that a source names for certain leave no room for assumed ones. */
function joinTickers(
  a: EntityProfile,
  b: EntityProfile,
): Pick<EntityProfile, 'tickers' | 'tickersAssumed' | 'tickersRefuted'> {
  const stated = [a, b].filter(one => one.tickers !== undefined)
  const certain = stated.filter(one => !one.tickersAssumed)
  const assumed = certain.length === 0 && stated.length > 0
  const tickers = [...new Set((assumed ? stated : certain).flatMap(one => one.tickers ?? []))]
  const refuted = [a, b].flatMap(one => one.tickersRefuted ?? []).filter(one => !tickers.includes(one))
  return {
    ...(stated.length === 0 ? {} : { tickers }),
    ...(assumed ? { tickersAssumed: true } : {}),
    ...(refuted.length === 0 ? {} : { tickersRefuted: [...new Set(refuted)] }),
  }
}

function otherNames(a: EntityProfile, b: EntityProfile): Pick<EntityProfile, 'otherNames'> {
  if (a.otherNames === undefined && b.otherNames === undefined) return {}
  return { otherNames: [...new Set([...(a.otherNames ?? []), ...(b.otherNames ?? [])])] }
}

const pickYearEnd = (fiscalYearEnd: string | undefined) =>
  fiscalYearEnd === undefined ? {} : { fiscalYearEnd }
