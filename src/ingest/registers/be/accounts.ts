import { dayOf, isRecord, textOf, textOfScalar } from '../../reading/fields.ts'
import { NamedFaults, shown } from '../../reading/namedFaults.ts'
import { readXbrl, type XbrlContext, type XbrlFact, type XbrlInstance } from '../../xbrl/instance.ts'
import { enterpriseNumber } from './enterprises.ts'
import { isReferenceNumber } from './references.ts'

/** The fiscal year of the accounts (N), or the prior year (NM1), whose figures they repeat. */
export type AccountYear = 'N' | 'NM1'

export interface Rubric {
  readonly code: string
  readonly year: AccountYear
  readonly value: string
  /** In an instance, the fact that states it. */
  readonly fact?: XbrlFact
}

/** One deposit's accounts as a file states them. */
export interface Accounts {
  readonly reference: string
  /** The enterprise number as the file states it; null for JSON, which does not state it. */
  readonly enterprise: string | null
  /** The currency of the figures that are read, if the file states it; `several` if they differ. */
  readonly currency: string | null
  readonly name: string | null
  readonly rubrics: readonly Rubric[]
  /** First and last day of both years, if the file states them. */
  readonly years: Readonly<Years>
  /** Figures in the file, mapped or not. */
  readonly figures: number
  readonly faults: NamedFaults
  /** The instance; null for JSON, whose figures are all among `rubrics`. */
  readonly instance: XbrlInstance | null
}

type Years = Partial<Record<AccountYear, { readonly start: number; readonly end: number }>>

/**
 * Parses `application/x.jsonxbrl`: `{ReferenceNumber, EnterpriseName, Rubrics: [{Code, Value, Period}]}`. It
 * states neither the enterprise nor the dates of the year. Returns null if there is no reference number.
 */
export function parseJsonAccounts(document: Readonly<Record<string, unknown>>): Accounts | null {
  const { ReferenceNumber: reference, EnterpriseName, Rubrics } = document
  if (!isReferenceNumber(reference) || !Array.isArray(Rubrics)) return null
  const rubrics: Rubric[] = []
  const faults = new NamedFaults()
  for (const [index, rubric] of Rubrics.entries()) {
    const code = isRecord(rubric) ? textOf(rubric.Code) : null
    const year = isRecord(rubric) ? rubric.Period : null
    if (code === null || !isRecord(rubric) || (year !== 'N' && year !== 'NM1'))
      faults.add(`${reference}, rubric ${index + 1}: ${shown(rubric)} needs a Code, and a Period of N or NM1`)
    else rubrics.push({ code, year, value: textOfScalar(rubric.Value ?? '').trim() })
  }
  return {
    reference,
    name: textOf(EnterpriseName),
    rubrics,
    faults,
    enterprise: null,
    currency: null,
    years: {},
    figures: Rubrics.length,
    instance: null,
  }
}

type XbrlAccounts = Omit<Accounts, 'reference'> & { readonly reference: string | null }

/**
 * Parses an XBRL instance, in the taxonomy of elements (`pfs`, until 2022) or of dimensions (`cbso`, since
 * then). An instance states neither its reference number nor its deposit date. The number comes from the file
 * name and is null if that has none.
 */
export function parseXbrlAccounts(text: string, fileName: string): XbrlAccounts {
  const instance = readXbrl(text)
  const base = fileName.slice(fileName.lastIndexOf('/') + 1)
  const reference = /(?<!\d)\d{4}-\d{8}(?!\d)/.exec(base)?.[0] ?? null
  const isOld = instance.facts.some(({ namespace }) => elements.test(namespace))
  const entities = new Set([...instance.contexts.values()].map(({ entity }) => entity))
  const [entity] = entities
  const read = isOld ? readElements(instance) : readDimensions(instance)
  const currencies = new Set(read.rubrics.map(({ currency }) => currency))
  const [currency = null] = currencies
  return {
    ...read,
    reference,
    currency: currencies.size > 1 ? 'several' : currency,
    enterprise: entities.size === 1 ? enterpriseNumber(entity) : null,
    figures: instance.facts.filter(({ unit }) => unit !== null).length,
    faults: faultyDaysOf(instance),
    instance,
  }
}

/** The amounts whose context has an invalid date. */
function faultyDaysOf({ facts, faultyDays }: XbrlInstance): NamedFaults {
  const faults = new NamedFaults()
  for (const { name, unit, context } of facts) {
    const day = faultyDays.get(context)
    if (unit !== null && day !== undefined)
      faults.add(`${name} in context ${context}: ${shown(day)} is not a day`)
  }
  return faults
}

const elements = /^http:\/\/www\.nbb\.be\/be\/fr\/pfs\/ci\/\d{4}-\d\d-\d\d$/
const dictionary = 'http://www.nbb.be/be/fr/cbso/dict'

/** Rubrics by element of the taxonomy of 2007 to 2022. */
const rubricOfElement: Readonly<Record<string, string>> = {
  Turnover: '70',
  GrossOperatingMargin: '9900',
  OperatingProfitLoss: '9901',
  GainLossPeriod: '9904',
  Assets: '20/58',
  Equity: '10/15',
  ProvisionsDeferredTaxes: '16',
  AmountsPayable: '17/49',
  CurrentsAssets: '29/58',
  CashBankHand: '54/58',
}

/**
 * The rubric code of each combination of dimension members, since 2022. Members are in the order of their
 * dimensions' names. A context with an additional member is only a part of the rubric, or something else, and
 * is skipped.
 */
const rubricOfMembers: Readonly<Record<string, string>> = {
  'bas:m53 ntr:m17 part:m4': '70',
  'bas:m118 ntr:m17 part:m4': '9900',
  'bas:m44 ntr:m6 part:m4': '9901',
  'bas:m59 part:m4': '9904',
  'bas:m25 part:m1': '20/58',
  'bas:m37 ntr:m4 part:m3': '10/15',
  'bas:m47 part:m3': '16',
  'bas:m50 part:m3': '17/49',
  'bas:m12 part:m1': '29/58',
  'bas:m23 part:m1': '54/58',
}

interface InstanceRubric extends Rubric {
  readonly currency: string
  readonly fact: XbrlFact
}

interface InstanceContent {
  readonly name: string | null
  readonly rubrics: readonly InstanceRubric[]
  readonly years: Years
}

/**
 * Each year has its own contexts. The longest flow that ends last is the fiscal year; the prior year ends the
 * day before it starts.
 */
function readElements({ contexts, units, facts }: XbrlInstance): InstanceContent {
  const whole = facts.filter(({ namespace, context }) => {
    return elements.test(namespace) && contexts.get(context)?.dimensions.size === 0
  })
  const years: Years = {}
  const name = facts.find(fact => fact.name === 'EntityCurrentLegalName')?.value
  const flows = whole.flatMap(({ context, name }) => {
    const found = contexts.get(context)
    return found?.start == null || rubricOfElement[name] === undefined
      ? []
      : [{ start: found.start, end: found.end }]
  })
  flows.sort((a, b) => b.end - a.end || a.start - b.start)
  const [year] = flows
  const before = flows.find(({ end }) => year !== undefined && end === year.start - 1)
  if (year !== undefined) years.N = year
  if (before !== undefined) years.NM1 = before
  const rubrics = whole.flatMap(fact => {
    const code = rubricOfElement[fact.name]
    const found = contexts.get(fact.context)
    if (code === undefined || found === undefined || fact.value === null || year === undefined) return []
    const inYear = yearOf(found, years)
    return inYear === null ? [] : [rubricOf(code, inYear, fact, units)]
  })
  return { name: textOf(name), rubrics, years }
}

function yearOf({ start, end }: XbrlContext, years: Years): AccountYear | null {
  for (const year of ['N', 'NM1'] as const) {
    const known = years[year]
    const matches = known !== undefined && known.end === end && (start === null || start === known.start)
    if (matches) return year
  }
  // Recognises the prior year's balance sheet even if no flow states that year.
  return start === null && years.N !== undefined && end === years.N.start - 1 ? 'NM1' : null
}

/**
 * Every context is an instant, the last day of the year; a dimension states which of the two years it belongs
 * to.
 */
function readDimensions({ contexts, units, facts }: XbrlInstance): InstanceContent {
  const years: Years = {}
  const rubrics: InstanceRubric[] = []
  let name: string | null = null
  const days = new Map<string, number>()
  for (const fact of facts) {
    const context = contexts.get(fact.context)
    if (context === undefined || fact.value === null) continue
    const { members, year } = membersOf(context)
    if (members === 'bas:m29 part:m2 psn:m1') name = textOf(fact.value)
    else if (/^bas:m27 mmt:m[12] part:m2$/.test(members)) days.set(`${year} ${members}`, dayOf(fact.value))
    const code = rubricOfMembers[members]
    if (code === undefined || year === null || fact.namespace !== `${dictionary}/met`) continue
    if (fact.name.startsWith('am')) rubrics.push(rubricOf(code, year, fact, units))
  }
  for (const year of ['N', 'NM1'] as const) {
    const start = days.get(`${year} bas:m27 mmt:m1 part:m2`) ?? Number.NaN
    const end = days.get(`${year} bas:m27 mmt:m2 part:m2`) ?? Number.NaN
    if (start < end) years[year] = { start, end }
  }
  return { name, rubrics, years }
}

function rubricOf(
  code: string,
  year: AccountYear,
  fact: XbrlFact,
  units: ReadonlyMap<string, string>,
): InstanceRubric {
  return { code, year, value: fact.value ?? '', currency: units.get(fact.unit ?? '') ?? 'none', fact }
}

function membersOf({ dimensions }: XbrlContext): { members: string; year: AccountYear | null } {
  const members: string[] = []
  let year: AccountYear | null = null
  for (const [dimension, member] of dimensions) {
    const axis = within(dimension, `${dictionary}/dim`)
    const value = within(member, `${dictionary}/dom/${axis}`)
    if (axis === 'prd') year = value === 'm1' ? 'N' : value === 'm2' ? 'NM1' : null
    else members.push(`${axis}:${value}`)
  }
  return { members: members.sort().join(' '), year }
}

/** The local name of `{namespace}name`. If the namespace differs, the whole text, which matches nothing. */
const within = (name: string, namespace: string) =>
  name.startsWith(`{${namespace}}`) ? name.slice(namespace.length + 2) : name
