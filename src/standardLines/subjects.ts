import { LRUCache } from 'lru-cache'
import type { StandardLine, StandardStatement } from './definition.ts'
import { wordsOf } from './presentedRows.ts'

/** What labels are about, apart from totals, for lines that companies often state together. */
const subjects: Readonly<Record<StandardStatement, Readonly<Record<string, RegExp>>>> = {
  income: {},
  balance: {
    accrued: /\baccrued (expenses?|liabilit|compensation|payroll|interest|and other)|\baccruals\b/,
    debt: /\b(debt(?! securities)|notes payable|borrowings|commercial paper|bonds|debentures)\b/,
    deferredRevenue: /\b(deferred|unearned) (revenues?|income\b(?! tax))/,
    deposits: /\bdeposits\b/,
    derivatives: /\bderivatives?\b|\brisk management\b/,
    goodwill: /\bgoodwill\b/,
    insurance: /\bunearned premiums?\b|\bloss adjustment\b|\bclaims\b|\bfuture policy\b/,
    intangibles: /\bintangibles?\b/,
    inventories: /\binventor(y|ies)\b/,
    investments: /\b(investments?(?! tax)|marketable securities)\b/,
    minority: /\b(noncontrolling|non controlling|minority)\b/,
    other:
      /\bother (non ?current |current |long term )*(assets|liabilities|obligations)\b|\band (others?|sundry)$/,
    paidIn: /\bpaid in capital\b|\bexcess of par\b|\bcapital surplus\b/,
    payables: /\baccounts payable\b|\btrade payables\b/,
    pensions: /\b(pensions?|(?<!asset )retirement|post ?retirement|postemployment)\b/,
    preferred: /\b(preferred|preference)\b/,
    prepaid: /\bprepa(id|yments?)\b/,
    property: /\b(propert(y|ies)|premises|equipment)\b/,
    receivables: /\breceivables?\b/,
    regulatory: /\bregulatory\b/,
    taxes: /(?<!net of )(?<!net of income )\btax(es)?\b/,
  },
  cash_flow: {
    accrued: /\baccrued (expenses?|liabilit|compensation|and other)|\baccruals\b/,
    affiliates: /\b(affiliates?|joint ventures?|unconsolidated|equity method)\b/,
    amortization: /\bamortization\b/,
    businesses: /\bbusiness(es)?\b|\bacquisitions? (net|and)\b|\band acquisitions?\b/,
    debt: /\b(debt(?! (securities|investments))|notes(?! receivable)|borrowings|commercial paper|bonds|debentures)\b/,
    deferredRevenue: /\b(deferred|unearned) (revenues?|income\b(?! tax))/,
    depreciation: /\b(depreciation|depletion)\b/,
    derivatives: /\bderivatives?\b/,
    discontinued: /\bdiscontinued\b/,
    dividends: /\bdividends?\b/,
    impairments: /\bimpairments?\b|\bwrite ?(downs?|offs?)\b/,
    intangibles: /\b(intangibles?|goodwill|intellectual|product rights)\b/,
    inventories: /\binventor(y|ies)\b/,
    investments: /\b(investments?(?! tax)|securities)\b/,
    loans: /\bloans?\b(?! loss)/,
    minority: /\b(noncontrolling|non controlling|minority)\b/,
    noncash: /\bother non ?cash\b/,
    other:
      /\bother (non ?current |current |long term |operating )*(assets|liabilities|obligations)\b|\band others?( net)?$/,
    payables: /\baccounts payable\b|\btrade payables\b/,
    pensions: /\b(pensions?|post ?retirement|retirement (benefits?|plans?))\b/,
    prepaid: /\bprepa(id|yments?(?! and (maturit|calls)))\b/,
    property: /\b(propert(y|ies)|premises|equipment)\b/,
    receivables: /\breceivables?\b/,
    restructuring: /\brestructuring\b/,
    taxes: /(?<!net of )(?<!net of income )(?<!before )\btax(es)?\b/,
  },
}

export const subjectNames: readonly string[] = Object.values(subjects).flatMap(Object.keys)

/** Companies share most labels, and each is asked about for many lines. */
const knownLabels = new LRUCache<string, readonly string[]>({ max: 10_000 })

function subjectsIn(statement: StandardStatement, words: string): readonly string[] {
  const key = `${statement} ${words}`
  const known = knownLabels.get(key)
  if (known !== undefined) return known
  const found = Object.entries(subjects[statement]).flatMap(([subject, says]) =>
    says.test(words) ? [subject] : [],
  )
  knownLabels.set(key, found)
  return found
}

const subjectsOfLines = new WeakMap<StandardLine, ReadonlySet<string>>()

function subjectsOf(line: StandardLine): ReadonlySet<string> {
  const known = subjectsOfLines.get(line)
  if (known !== undefined) return known
  const own = new Set([...subjectsIn(line.statement, wordsOf(line.label)), ...(line.also?.split(' ') ?? [])])
  subjectsOfLines.set(line, own)
  return own
}

/**
 * Whether a label is about something that the standard line is not, such as `Inventories and other current assets`.
 * Nobody can tell which part of such a figure is the line.
 */
export function isAboutMore(line: StandardLine, words: string): boolean {
  const own = subjectsOf(line)
  return !own.has('anything') && subjectsIn(line.statement, words).some(subject => !own.has(subject))
}
