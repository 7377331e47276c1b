import type { ParsedDocument, ReportedFact } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { numberOf } from '../../reading/fields.ts'
import { NamedFaults, shown } from '../../reading/namedFaults.ts'
import type { LeftOut } from '../registerInterface.ts'
import type { Accounts, AccountYear } from './accounts.ts'
import { codesRead, concepts, usesOfTag } from './concepts.ts'
import { profileOf } from './enterprises.ts'
import { filingOf, type Reference, type References } from './references.ts'
import { wholeFilingOf } from './wholeAccounts.ts'

export interface AccountsFacts {
  /** Null if the accounts are left out. */
  readonly parsed: ParsedDocument | null
  readonly whole: StatedFiling | null
  readonly faults: NamedFaults
  /** True if another reference may state when the prior year began. */
  readonly lacksYear: boolean
}

/** The figures of a deposit whose reference is known. */
export function factsOfAccounts(
  accounts: Accounts,
  reference: Reference,
  references: References,
  leftOut: LeftOut,
): AccountsFacts {
  const reason = reasonLeftOut(accounts, reference)
  if (reason !== null) {
    leftOut.add(reason)
    return { parsed: null, whole: null, faults: new NamedFaults(), lacksYear: false }
  }
  const filing = filingOf(reference)
  const unit = reference.currency
  const years = yearsOf(accounts, reference, references)
  const faults = new NamedFaults()
  faults.addAll(accounts.faults)
  const values = valuesOf(accounts, faults)
  const reportedFacts: ReportedFact[] = []
  let lacksYear = false
  for (const { metric, tag, isFlow, codes } of figures) {
    for (const year of ['N', 'NM1'] as const) {
      const value = sumOf(codes, year, values)
      if (value === null) continue
      const { start, end } = years[year]
      const days = end - start + 1
      if (isFlow && Number.isNaN(start)) {
        lacksYear = true
        leftOut.add('a prior-year figure without a reference that states the first day of that year')
      } else if (isFlow && !(days >= 350 && days <= 380)) {
        leftOut.add('a flow over a period other than a year')
      } else {
        const first = isFlow ? start : null
        reportedFacts.push({ metric, tag, unit, start: first, end, value, rounded: false, filing })
      }
    }
  }
  const profile = profileOf(reference.enterprise, accounts.name ?? reference.name)
  return {
    parsed: { profile, reportedFacts, filings: [filing] },
    whole: wholeFilingOf(accounts, reference, faults),
    faults,
    lacksYear,
  }
}

/**
 * Models of companies and associations, full, abbreviated and micro: companies with capital, companies
 * without, and associations.
 */
const models = /^m(?:0[124578]|8[127])-[a-z]$/

/** The reason why a deposit's accounts are not read; null if they are. */
function reasonLeftOut(accounts: Accounts, reference: Reference): string | null {
  const { enterprise, model, start, end } = reference
  if (!models.test(model)) return 'accounts in a model for neither companies nor associations'
  if (accounts.enterprise !== null && accounts.enterprise !== enterprise)
    return 'accounts whose enterprise differs from that of their reference'
  if (accounts.currency !== null && accounts.currency !== reference.currency)
    return 'accounts whose currency differs from that of their reference'
  const year = accounts.years.N
  if (year !== undefined && (year.start !== start || year.end !== end))
    return 'accounts whose year differs from that of their reference'
  return null
}

type Years = Readonly<Record<AccountYear, { readonly start: number; readonly end: number }>>

/**
 * The first day of the prior year comes from the accounts or from that year's own reference; NaN if neither
 * states it.
 */
function yearsOf(
  accounts: Accounts,
  { enterprise, filed, start, end }: Reference,
  references: References,
): Years {
  const before = accounts.years.NM1
  const isPrior = before !== undefined && before.end === start - 1
  return {
    N: { start, end },
    NM1: {
      end: start - 1,
      start: isPrior ? before.start : references.startOfYear(enterprise, start - 1, filed),
    },
  }
}

/** What is read: the tag of each metric, and the rubrics that it adds up. */
const figures = Object.values(concepts)
  .flatMap(({ tagGroups }) => tagGroups.flat())
  .flatMap(tag => (usesOfTag(tag) ?? []).map(use => ({ ...use, codes: tag.split('+') })))
  .map(({ metric, tag, concept, codes }) => ({ metric, tag, codes, isFlow: concept.kind === 'flow' }))

/** Rubric values by `year code`; NaN if a value is not a number or is stated twice with different values. */
function valuesOf({ reference, rubrics }: Accounts, faults: NamedFaults): ReadonlyMap<string, number> {
  const values = new Map<string, number>()
  for (const { code, year, value: text } of rubrics) {
    // The register sometimes writes a nil rubric as an empty text, which states nothing.
    if (!codesRead.has(code) || text === '') continue
    const key = `${year} ${code}`
    const known = values.get(key)
    const value = plainNumber(text)
    const agrees = known === undefined || known === value
    const name = `${reference}, rubric ${code} of ${year}`
    if (Number.isNaN(value)) faults.add(`${name}: ${shown(text)} is not a number`)
    else if (!agrees) faults.add(`${name}: stated twice, as ${known} and ${value}`)
    values.set(key, agrees ? value : Number.NaN)
  }
  return values
}

/** NaN also for numbers with an exponent and for those that the database would round. */
function plainNumber(text: string): number {
  const value = numberOf(text)
  return /e/i.test(text) || Math.abs(value) > Number.MAX_SAFE_INTEGER / 100 ? Number.NaN : value
}

/**
 * Null if no rubric is stated or one of them is malformed. Rounding to cents removes the noise of binary
 * fractions.
 */
function sumOf(
  codes: readonly string[],
  year: AccountYear,
  values: ReadonlyMap<string, number>,
): number | null {
  const stated = codes.map(code => values.get(`${year} ${code}`)).filter(value => value !== undefined)
  if (stated.length === 0 || stated.some(Number.isNaN)) return null
  const sum = stated.reduce((a, b) => a + b, 0)
  return stated.length === 1 ? sum : Math.round(sum * 100) / 100
}
