import type { Contribution, EntityProfile } from '../../model/statement.ts'

/** One contribution for each entity, in the order in which they are first named. */
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
    ...(a.pulledOn === undefined ? {} : { pulledOn: a.pulledOn }),
  }
}

function joinProfiles(a: EntityProfile, b: EntityProfile): EntityProfile {
  const named = b.name === undefined || (b.nameIsFallback && a.name !== undefined) ? a : b
  const tickers = [...new Set([...(a.tickers ?? []), ...(b.tickers ?? [])])]
  return {
    market: a.market,
    issuerId: a.issuerId,
    ...(named.name === undefined ? {} : { name: named.name }),
    ...(named.nameIsFallback ? { nameIsFallback: true } : {}),
    ...(a.tickers === undefined && b.tickers === undefined ? {} : { tickers }),
    ...otherNames(a, b),
    ...pickYearEnd(b.fiscalYearEnd ?? a.fiscalYearEnd),
    registers: a.registers || b.registers,
  }
}

function otherNames(a: EntityProfile, b: EntityProfile): Pick<EntityProfile, 'otherNames'> {
  if (a.otherNames === undefined && b.otherNames === undefined) return {}
  return { otherNames: [...new Set([...(a.otherNames ?? []), ...(b.otherNames ?? [])])] }
}

const pickYearEnd = (fiscalYearEnd: string | undefined) =>
  fiscalYearEnd === undefined ? {} : { fiscalYearEnd }
