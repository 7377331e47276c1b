import { setImmediate } from 'node:timers/promises'
import { deriveFacts } from '../../facts/deriveFacts.ts'
import { mergeFilings } from '../../facts/filings.ts'
import type { Contribution, EntityProfile, Filing, MetricRules } from '../../facts/reportedFact.ts'
import type { Sql } from '../../postgres/client.ts'
import type { Reading } from '../observations/observations.ts'
import { readKnownIssuers } from '../store/entityQueries.ts'
import type { ImportUnit, PreparedBatch, PreparedContribution } from './batch.ts'

/** So many statements are worked on before the connection on which the batch before this one is written is served. */
const statementsPerTurn = 50

/** Does the work on a batch that needs no lock: it is done while the batch before is written.
 *
 * @param pulledOn given where the register overwrites, for contributions that do not say their day. Nothing is derived ahead
 * then, since what is on record changes the statements themselves */
export async function prepareBatch(
  sql: Sql,
  units: readonly ImportUnit[],
  rules: MetricRules,
  pulledOn: number | null = null,
): Promise<PreparedBatch> {
  const contributions = mergeContributions(units.flatMap(unit => unit.contributions))
  const known =
    pulledOn !== null
      ? null
      : await readKnownIssuers(
          sql,
          contributions.map(({ profile }) => profile),
        )
  const items: PreparedContribution[] = []
  let statements = 0
  for (const contribution of contributions) {
    const filings = statedFilings(contribution)
    const { market, issuerId, fiscalYearEnd = null, registers } = contribution.profile
    const isFresh = registers && contribution.statements.length > 0 && known?.has(market, issuerId) === false
    const ahead = isFresh ? deriveFacts(contribution.statements, { rules, fiscalYearEnd, filings }) : null
    items.push({ contribution, filings, ahead })
    statements += contribution.statements.length
    if (statements < statementsPerTurn) continue
    statements = 0
    await setImmediate()
  }
  const readings = pulledOn === null ? null : readingsOf(units, pulledOn)
  return { items, receipts: units.flatMap(unit => unit.receipt ?? []), readings }
}

export const entityKey = ({ market, issuerId }: Pick<EntityProfile, 'market' | 'issuerId'>) =>
  `${market} ${issuerId}`

function readingsOf(units: readonly ImportUnit[], pulledOn: number): ReadonlyMap<string, readonly Reading[]> {
  const readings = new Map<string, Reading[]>()
  for (const { contributions } of units) {
    for (const { profile, statements, pulledOn: day = pulledOn } of contributions) {
      if (statements.length === 0) continue
      const known = readings.get(entityKey(profile))
      if (known === undefined) readings.set(entityKey(profile), [{ day, statements }])
      else known.push({ day, statements })
    }
  }
  return readings
}

/** The filings that a contribution names, what it says of one of them in several places made one. */
export function statedFilings(contribution: Contribution): Map<string, Filing> {
  const filings = new Map<string, Filing>()
  const add = (filing: Filing) => {
    const known = filings.get(filing.accession)
    if (known !== filing)
      filings.set(filing.accession, known === undefined ? filing : mergeFilings(known, filing))
  }
  // Statements of one filing come one after the other, hundreds of them.
  let last: Filing | null = null
  for (const { filing } of contribution.statements) {
    if (filing !== last) add(filing)
    last = filing
  }
  for (const filing of contribution.filings) add(filing)
  return filings
}

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
