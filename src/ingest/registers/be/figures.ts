import type { Contribution, Statement } from '../../../facts/reportedFact.ts'
import { numberOf } from '../../reading/fields.ts'
import type { Accounts, AccountYear } from './accounts.ts'
import { beUses, concepts } from './concepts.ts'
import { filingOf, type Reference, type References } from './references.ts'

export interface ReadAccounts {
  readonly contribution: Contribution | null
  readonly malformed: number
  readonly leftOut: Readonly<Record<string, number>>
  /** Another reference may say when the year before began. */
  readonly lacksYear: boolean
}

/** Models of companies and of associations, full, abbreviated and micro: with capital, without, and of associations. */
const models = /^m(?:0[124578]|8[127])-[a-z]$/

/** The statements of a deposit whose reference is known. */
export function readAccounts(accounts: Accounts, reference: Reference, references: References): ReadAccounts {
  const leaveOut = (reason: string): ReadAccounts => ({
    ...{ contribution: null, malformed: 0, lacksYear: false },
    leftOut: { [reason]: 1 },
  })
  const { enterprise, filed, model, start, end } = reference
  if (!models.test(model))
    return leaveOut('accounts in another model than those of companies and associations')
  if (accounts.enterprise !== null && accounts.enterprise !== enterprise) {
    return leaveOut("accounts of another enterprise than their reference's")
  }
  if (accounts.currency !== null && accounts.currency !== reference.currency) {
    return leaveOut("accounts in another currency than their reference's")
  }
  const year = accounts.years.N
  if (year !== undefined && (year.start !== start || year.end !== end)) {
    return leaveOut("accounts of another year than their reference's")
  }
  const name = accounts.name ?? reference.name
  const profile = {
    market: 'BE',
    issuerId: enterprise,
    ...(name === null ? {} : { name }),
    tickers: [`${enterprise}.BE`],
    registers: true,
  }
  const filing = filingOf(reference)
  const before = accounts.years.NM1
  const years: Years = {
    N: { start, end },
    NM1: {
      end: start - 1,
      start:
        before !== undefined && before.end === start - 1
          ? before.start
          : references.startOfYear(enterprise, start - 1, filed),
    },
  }
  const { values, malformed } = valuesOf(accounts)
  const statements: Statement[] = []
  const leftOut: Record<string, number> = {}
  let lacksYear = false
  for (const { metric, tag, isFlow, codes } of figures) {
    for (const name of ['N', 'NM1'] as const) {
      const value = sumOf(codes, name, values)
      if (value === null) continue
      const { start, end } = years[name]
      const days = end - start + 1
      if (isFlow && Number.isNaN(start)) {
        lacksYear = true
        add(leftOut, 'a figure of the year before, whose first day no reference states')
      } else if (isFlow && !(days >= 350 && days <= 380)) {
        add(leftOut, 'a figure earned over other than a year')
      } else {
        const unit = reference.currency
        statements.push({
          metric,
          tag,
          unit,
          start: isFlow ? start : null,
          end,
          value,
          rounded: false,
          filing,
        })
      }
    }
  }
  return {
    contribution: { profile, statements, filings: [] },
    malformed: malformed + accounts.malformed,
    ...{ leftOut, lacksYear },
  }
}

type Years = Readonly<Record<AccountYear, { readonly start: number; readonly end: number }>>

/** What is read: each metric's tag and the rubrics that it adds up. */
const figures = Object.values(concepts)
  .flatMap(({ tagGroups }) => tagGroups.flat())
  .flatMap(tag => (beUses(tag) ?? []).map(use => ({ ...use, codes: tag.split('+') })))
  .map(({ metric, tag, concept, codes }) => ({ metric, tag, codes, isFlow: concept.kind === 'flow' }))

const wanted = new Set(figures.flatMap(({ codes }) => codes))

/** A rubric's value by `year code`; NaN where it is none, or is stated twice with two values. */
function valuesOf({ rubrics }: Accounts): { values: ReadonlyMap<string, number>; malformed: number } {
  const values = new Map<string, number>()
  let malformed = 0
  for (const { code, year, value: text } of rubrics) {
    // The register writes a nil rubric as an empty text at times: it states nothing.
    if (!wanted.has(code) || text === '') continue
    const key = `${year} ${code}`
    const known = values.get(key)
    const value = plainNumber(text)
    const agrees = known === undefined || known === value
    if (Number.isNaN(value) || !agrees) malformed++
    values.set(key, agrees ? value : Number.NaN)
  }
  return { values, malformed }
}

/** NaN also for powers of ten and for what a number of the database would round. */
function plainNumber(text: string): number {
  const value = numberOf(text)
  return /e/i.test(text) || Math.abs(value) > Number.MAX_SAFE_INTEGER / 100 ? Number.NaN : value
}

/** null where no rubric is stated, or one that is makes no sense. Cents add up without the noise of binary fractions. */
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

function add(counts: Record<string, number>, reason: string): void {
  counts[reason] = (counts[reason] ?? 0) + 1
}
