import { dayNumber, type IsoDate } from '../../../dates.ts'
import type { Markets } from '../../../markets/markets.ts'
import { type CompanyIdentity, isRegisterNumber } from '../../companies/queries.ts'
import { type IdReader, type IdStretch, readStretches } from '../../companies/symbols.ts'

/** Days on which a symbol named one company, or none that is known. */
export interface NamedDays {
  /** The first day; a day before all others for the first stretch. */
  readonly from: number
  readonly company: CompanyIdentity | null
  readonly isAssumed: boolean
  readonly reason: string
}

export const beforeAllDays = -0x8000_0000
const idsPerLookup = 5_000
const idShape = /^[A-Z0-9][A-Z0-9._/-]{0,31}$/

/**
 * Finds which company each symbol named on which days, by the same rules as as-of joins. With a market, a symbol may
 * lack the market's suffix: 2330 of TW is 2330.TW.
 *
 * @returns for each name its stretches, in order
 */
export async function findCompaniesOfSymbols(
  reader: IdReader,
  markets: Markets,
  names: readonly { readonly symbol: string; readonly market: string }[],
): Promise<NamedDays[][]> {
  const suffixes = new Map(markets.manifests.map(({ code, id }) => [code, id.suffixes]))
  const idsOf = ({ symbol, market }: { readonly symbol: string; readonly market: string }) =>
    [symbol, ...(suffixes.get(market) ?? []).map(suffix => `${symbol}${suffix}`)].filter(id =>
      idShape.test(id),
    )
  const wanted = [...new Set(names.flatMap(idsOf))]
  const found = new Map<string, CompanyIdentity>()
  const stretches = new Map<string, readonly IdStretch[]>()
  for (let at = 0; at < wanted.length; at += idsPerLookup) {
    const some = wanted.slice(at, at + idsPerLookup)
    const today = await reader.findAll(some)
    for (const [id, company] of today) found.set(id, company)
    for (const [id, ofId] of (await readStretches(reader, some, today)).stretches) stretches.set(id, ofId)
  }
  return names.map(name => {
    const candidates = idsOf(name).map(id => daysOf(id, found.get(id), stretches.get(id), name.market))
    return (
      candidates.find(days => days.some(({ company }) => company !== null)) ??
      candidates[0] ??
      unknownDays(name.symbol)
    )
  })
}

function daysOf(
  id: string,
  company: CompanyIdentity | undefined,
  stretches: readonly IdStretch[] | undefined,
  market: string,
): NamedDays[] {
  const admitted = (one: CompanyIdentity | null): CompanyIdentity | null =>
    one !== null && (market === '' || one.market === market) ? one : null
  if (stretches !== undefined)
    return stretches.map(stretch => ({
      from: stretch.from === null ? beforeAllDays : startOf(stretch.from),
      company: admitted(stretch.company),
      isAssumed: stretch.isAssumed,
      reason: stretch.reason ?? `${id} names a company of another market`,
    }))
  if (company === undefined) return unknownDays(id)
  return [
    {
      from: beforeAllDays,
      company: admitted(company),
      isAssumed: !isRegisterNumber(id, company),
      reason: `${id} names a company of ${company.market}, not of ${market}`,
    },
  ]
}

const unknownDays = (symbol: string): NamedDays[] => [
  {
    from: beforeAllDays,
    company: null,
    isAssumed: false,
    reason: `${symbol} is not the ID of a company on record`,
  },
]

const startOf = (from: IsoDate) => dayNumber(from)
