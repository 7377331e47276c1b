import { setImmediate } from 'node:timers/promises'
import { nearestMonthEnd } from '../../dates.ts'
import { type EntityProfile, entityKey, type ReportedFact } from '../../facts/reportedFact.ts'
import type { CheckState } from '../../markets/checkStates.ts'
import { checkedFigures } from '../../standardLines/checkedFigures.ts'
import { type LineCheck, worstOf } from '../../standardLines/lineCheck.ts'
import { wholeBySchema } from '../../standardLines/presentBySchema.ts'
import type { PresentingFiling } from '../../standardLines/standardFiling.ts'
import { isInstant, quartersOf } from '../../wholeFilings/layOut.ts'
import { type StatedFiling, wholeSources } from '../../wholeFilings/statedFiling.ts'
import { tagKey } from '../../wholeFilings/tags.ts'
import type { ReadUnit } from '../reading/progress.ts'

/**
 * The units of a batch, in whose documents each figure of a filing whose statements the batch has, too, has the state that
 * these statements give it. If several sources of the batch state a filing, the most complete one decides. The event loop
 * runs after every filing, so that the connection that writes the previous batch does not stall.
 */
export async function withChecks(units: readonly ReadUnit[]): Promise<readonly ReadUnit[]> {
  const stated = units.flatMap(({ wholeFilings = [] }) => wholeFilings)
  if (stated.length === 0) return units
  const sectors = new Map<string, string | undefined>()
  for (const { profile, reportedFacts } of units.flatMap(({ parsed }) => parsed))
    for (const { filing } of reportedFacts) sectors.set(keyOfFiling(profile, filing.accession), filing.sector)
  const states = new Map<string, ReadonlyMap<string, CheckState>>()
  for (const [key, ofFiling] of Map.groupBy(stated, one => keyOfFiling(one, one.whole.accession))) {
    if (!sectors.has(key)) continue
    const presented = mostComplete(ofFiling)
      .map(({ market, whole }) => wholeBySchema(market, whole))
      .filter(({ statements }) => statements.length > 0)
    if (presented.length === 0) continue
    states.set(key, new Map(presented.flatMap(whole => [...statesOf(whole, sectors.get(key))])))
    await setImmediate()
  }
  if (states.size === 0) return units
  return units.map(unit => ({
    ...unit,
    parsed: unit.parsed.map(document => ({
      ...document,
      reportedFacts: document.reportedFacts.map((reported): ReportedFact => {
        const ofFiling = states.get(keyOfFiling(document.profile, reported.filing.accession))
        return ofFiling === undefined
          ? reported
          : { ...reported, check: ofFiling.get(factKey(reported)) ?? 'unchecked' }
      }),
    })),
  }))
}

/** Several of one source are parts of the filing, or the same read again. */
function mostComplete(stated: readonly StatedFiling[]): readonly StatedFiling[] {
  const best = Math.max(...stated.map(({ source }) => wholeSources.indexOf(source)))
  return stated.filter(({ source }) => wholeSources.indexOf(source) === best)
}

const keyOfFiling = (company: Pick<EntityProfile, 'market' | 'issuerId'>, accession: string) =>
  `${entityKey(company)} ${accession}`

/** By figure. One on several lines has the state that all of their identities give it. */
function statesOf(whole: PresentingFiling, sector: string | undefined): ReadonlyMap<string, CheckState> {
  const checks = new Map<string, LineCheck>()
  const industry = /^SIC (\d{4})/.exec(sector ?? '')?.[1]
  for (const { concept, period, unit, value, check } of checkedFigures(
    whole,
    industry === undefined ? null : Number(industry),
  )) {
    const quarters = isInstant(period) ? 0 : quartersOf(period)
    const key = keyOf(concept, quarters, period.end, unit, Number(value))
    const known = checks.get(key)
    checks.set(key, known === undefined ? check : worstOf([known, check]))
  }
  return new Map([...checks].map(([key, { state }]) => [key, state]))
}

const factKey = ({ tag, start, end, unit, value }: ReportedFact) =>
  keyOf(tag, start === null ? 0 : quartersOf({ start, end, quarters: null }), end, unit, value)

/** Data sets round the days of periods, so length and month identify them, and omit `/shares` in units. */
const keyOf = (tag: string, quarters: number, end: number, unit: string, value: number) =>
  `${tagKey(tag)} ${quarters} ${nearestMonthEnd(end)} ${currencyIn.exec(unit)?.[1]} ${value}`

const currencyIn = /^(?:iso4217:)?([A-Z]{3})/
