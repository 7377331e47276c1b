import { addDays, type IsoDate } from '../../dates.ts'
import { isSameHolder, type SymbolSpell } from '../../facts/symbolSpells.ts'
import type { SqlClient } from '../../postgres/client.ts'
import type { CompanyDirectory } from './directory.ts'
import { successionsOf } from './lineage.ts'
import type { Succession } from './lineageQueries.ts'
import { type CompanyIdentity, findCompanies, isRegisterNumber, type RegisterNumber } from './queries.ts'
import { type DatedSymbol, findByNumbers, readDatedSymbols } from './symbolQueries.ts'

/** The company that an ID names on a day. */
export interface IdOnDay {
  /** Null if none is known. */
  readonly company: CompanyIdentity | null
  /** Whether today's company is only assumed to have had the symbol on the day. */
  readonly isAssumed: boolean
  /** If none of our companies is known to have had the symbol on the day, a sentence that says what is known. */
  readonly reason: string | null
  /** Whether any source states on which days a company had the ID. */
  readonly isDated: boolean
  /** Whether a company that we do not have had the symbol. */
  readonly isOther: boolean
}

export interface IdReader {
  /** Which companies IDs name today. */
  findAll(ids: readonly string[]): Promise<ReadonlyMap<string, CompanyIdentity>>
  datedSymbols(ids: readonly string[]): Promise<ReadonlyMap<string, DatedSymbol>>
  byNumbers(numbers: readonly RegisterNumber[]): Promise<readonly CompanyIdentity[]>
  /** Every succession of companies on record. */
  successions(): Promise<readonly Succession[]>
}

/** @param directory caches; without it every lookup queries the database */
export const idReader = (sql: SqlClient, directory?: CompanyDirectory): IdReader => ({
  findAll: ids => directory?.findAll(ids) ?? findCompanies(sql, ids),
  datedSymbols: ids => directory?.datedSymbols(ids) ?? readDatedSymbols(sql, ids),
  byNumbers: numbers => findByNumbers(sql, numbers),
  successions: () => successionsOf(sql, directory),
})

/** One stretch of days of an ID, from `from` to the next one's `from`. */
export interface IdStretch extends IdOnDay {
  /** Null: no first day is known. */
  readonly from: IsoDate | null
}

/**
 * Reads, by ID, which companies IDs name on which days. IDs that name the same company on every day, or never name one,
 * are left out, because `findAll` covers them.
 */
export async function readStretches(
  reader: IdReader,
  ids: readonly string[],
  today: ReadonlyMap<string, CompanyIdentity>,
): Promise<{
  readonly stretches: ReadonlyMap<string, readonly IdStretch[]>
  readonly dataVersions: ReadonlySet<number>
}> {
  const symbols = ids.filter(id => !isExactId(id, today.get(id)))
  const dated = symbols.length === 0 ? new Map<string, DatedSymbol>() : await reader.datedSymbols(symbols)
  const stated = [...dated].filter(([, { spells }]) => spells.length > 0)
  const numbers = new Map<string, RegisterNumber>()
  for (const [, { spells }] of stated)
    for (const { market, issuerId, holder } of spells)
      if (issuerId !== null) numbers.set(holder, { market, issuerId })
  const companies = await reader.byNumbers([...numbers.values()])
  const byNumber = new Map(companies.map(company => [keyOf(company), company]))
  const stretches = new Map(
    stated.map(([id, { spells }]) => [id, stretchesOf(id, spells, today.get(id) ?? null, byNumber)]),
  )
  const dataVersions = new Set([...dated.values(), ...companies].map(({ dataVersion }) => dataVersion))
  return { stretches, dataVersions }
}

/** An ID that its register never gives to another company. */
function isExactId(id: string, company: CompanyIdentity | undefined): boolean {
  return /^CIK\d{10}$/.test(id) || (company !== undefined && isRegisterNumber(id, company))
}

const keyOf = ({ market, issuerId }: RegisterNumber) => `${market} ${issuerId}`

function stretchesOf(
  id: string,
  spells: readonly SymbolSpell[],
  today: CompanyIdentity | null,
  byNumber: ReadonlyMap<string, CompanyIdentity>,
): IdStretch[] {
  const latest = spells.findLast(({ issuerId }) => issuerId !== null)
  const holder =
    today ?? (latest && byNumber.get(keyOf({ market: latest.market, issuerId: latest.issuerId ?? '' })))
  const now = holder === undefined ? '' : ` ${today === null ? 'Later' : 'Today'} it is ${describe(holder)}.`
  const stretches: IdStretch[] = []
  const nobody = (from: IsoDate | null, until: IsoDate) => {
    const days = from === null ? `before ${until}` : `from ${from} to ${addDays(until, -1)}`
    const reason = `No source on record says which company was ${id} ${days}.${now}`
    stretches.push({ ...unnamed, from, reason })
  }
  let next: IsoDate | null = null
  for (const [index, spell] of spells.entries()) {
    if (spell.from !== null && (index === 0 || (next !== null && next < spell.from))) nobody(next, spell.from)
    stretches.push({ from: spell.from, ...holderOf(id, spell, byNumber, now) })
    next = spell.to === null ? null : addDays(spell.to, 1)
  }
  // Later days have no statement, so the ID then means today's company: an ID that was ever served stays valid.
  const last = spells.at(-1)
  if (next !== null && last !== undefined) {
    const isLast = today !== null && isSameHolder(last, { ...today, holder: last.holder })
    const reason =
      today === null ? `The last company known as ${id} was ${last.holder}, until ${last.to}.` : null
    stretches.push({ ...unnamed, from: next, company: today, isAssumed: today !== null && !isLast, reason })
  }
  return stretches
}

function holderOf(
  id: string,
  spell: SymbolSpell,
  byNumber: ReadonlyMap<string, CompanyIdentity>,
  now: string,
): IdOnDay {
  const { market, issuerId, holder, isAssumed, from, to } = spell
  const company = issuerId === null ? undefined : byNumber.get(keyOf({ market, issuerId }))
  if (company !== undefined) {
    const sentId = id === company.ticker ? null : id
    return { ...unnamed, company: { ...company, sentId }, isAssumed }
  }
  const days = `${from === null ? '' : ` from ${from}`}${to === null ? '' : ` to ${to}`}`
  const whose =
    issuerId === null
      ? `belonged to another company${days}, which a list calls ${holder}`
      : `belonged to ${holder}${days}, and that company is not loaded here`
  return { ...unnamed, reason: `${id} ${whose}.${now}`, isOther: true }
}

/** Stands for days on which none of our companies had a symbol. */
const unnamed = { company: null, isAssumed: false, reason: null, isDated: true, isOther: false } as const

const describe = ({ ticker, name }: Pick<CompanyIdentity, 'ticker' | 'name'>) =>
  name === null ? ticker : `${name} (${ticker})`

/** The stretch that contains a day. */
export const stretchOn = (stretches: readonly IdStretch[], day: IsoDate): IdStretch | undefined =>
  stretches.findLast(({ from }) => from === null || from <= day)

/**
 * Finds the companies that IDs name on a day. Unknown IDs are left out.
 *
 * @param day null: today. Current IDs then come from the register's own list, and only others are looked up by day
 */
export async function findOnDay(
  reader: IdReader,
  ids: readonly string[],
  today: IsoDate,
  day: IsoDate | null,
): Promise<ReadonlyMap<string, IdOnDay>> {
  const found = await reader.findAll(ids)
  const isCurrent = (id: string) => found.get(id)?.sentId === null
  const asked = day === null ? ids.filter(id => !isCurrent(id)) : ids
  const { stretches, dataVersions } = await readStretches(reader, asked, found)
  const versions = new Set([...dataVersions, ...[...found.values()].map(({ dataVersion }) => dataVersion)])
  const named = new Map<string, IdOnDay>()
  for (const id of ids) {
    const company = found.get(id)
    const stretch = stretches.get(id)
    const onDay = stretch && stretchOn(stretch, day ?? today)
    const isAssumed = company !== undefined && day !== null && !isExactId(id, company)
    const listed = company && { company, isAssumed, reason: null, isDated: false, isOther: false }
    const known = onDay ?? listed
    if (known !== undefined) named.set(id, atOneVersion(known, versions))
  }
  return named
}

/** Gives a company that was looked up in several data versions version -1, so that the caller looks it up again. */
function atOneVersion(found: IdOnDay, dataVersions: ReadonlySet<number>): IdOnDay {
  const { company } = found
  if (company === null || dataVersions.size < 2) return found
  return { ...found, company: { ...company, dataVersion: -1 } }
}
