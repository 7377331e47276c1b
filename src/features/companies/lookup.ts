import { addDays, type IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { dayOf } from '../../instants.ts'
import { resolveAsOf, type SentAsOf, writtenDay } from '../../markets/asOf.ts'
import type { Manifest } from '../../markets/manifest.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { nearNames } from '../../spelling.ts'
import type { CompanyDeps } from './deps.ts'
import { assumedSuffix, changedId } from './notes.ts'
import {
  type CompanyIdentity,
  countCompanies,
  findEntities,
  holdersOfNumber,
  type NamedEntity,
  neighbouringIds,
  type RegisterNumber,
  respellings,
} from './queries.ts'
import { findOnDay, type IdOnDay, type IdReader, idReader } from './symbols.ts'

/** The pattern of an ID in a request, before it is converted to upper case. */
export const idPattern = '^[A-Za-z0-9][A-Za-z0-9._/-]{0,31}$'

const maxNamed = 10

/** A company. `isSymbolAssumed` is true if no source says that it had the symbol on the day. */
export interface ResolvedCompany extends CompanyIdentity {
  readonly isSymbolAssumed: boolean
}

/**
 * Finds the companies that IDs name on a day, in the order of the IDs. A single failure lists all unknown IDs. If a
 * symbol belonged to a company that we do not have, the failure says what is known about that company.
 */
export async function resolveCompanies(
  { lookups, markets, directory, today }: Pick<CompanyDeps, 'lookups' | 'markets' | 'directory' | 'today'>,
  tickers: readonly string[],
  sent: SentAsOf | null,
): Promise<ResolvedCompany[]> {
  const found = await findAsSent({ markets, today }, idReader(lookups, directory), tickers, sent)
  const companies: ResolvedCompany[] = []
  const unknown: string[] = []
  const reasons: string[] = []
  for (const ticker of tickers) {
    const { company = null, isAssumed = false, reason = null } = found.get(ticker) ?? {}
    if (company !== null) companies.push({ ...company, isSymbolAssumed: isAssumed })
    else unknown.push(ticker)
    if (company === null && reason !== null) reasons.push(reason)
  }
  if (unknown.length === 0) return companies
  const holders = await holdersOfNumber(lookups, unknown[0])
  if (holders.length > 1) throw numberIsShared(unknown[0], holders)
  const more = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : ''
  const names = `${unknown.slice(0, maxNamed).join(',')}${more}`
  const verb = unknown.length === 1 ? 'is not a known company' : 'are not known companies'
  if (reasons.length === unknown.length) {
    const shown = reasons.slice(0, maxNamed).join(' ')
    const onDay = sent === null ? '' : ` on ${writtenDay(sent)}`
    const exact = "The register's own number names a company on every day."
    throw new Failure('entity_unknown', `ticker=${names} ${verb}${onDay}. ${shown} ${exact}`, {
      param: 'ticker',
    })
  }
  const near = await nearIds(lookups, markets.manifests, unknown[0])
  const ofFirst = unknown.length === 1 ? '' : ` for ${unknown[0]}`
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}${ofFirst}?` : ''
  throw new Failure(
    'entity_unknown',
    `ticker=${names} ${verb}.${hint} ${await describeExtent(lookups)} GET /api/search?q= finds the ID for a name, GET /api/v1/coverage/{id} for a register number.`,
    { param: 'ticker', near },
  )
}

function numberIsShared(number: string, holders: readonly string[]): Failure {
  const named = holders.slice(0, maxNear)
  return new Failure(
    'entity_unknown',
    `ticker=${number} is a registration number in several registers: ${named.join(', ')}. Send the ID of the one that you mean.`,
    { param: 'ticker', near: named },
  )
}

export interface FoundCompany {
  readonly entity: NamedEntity
  /** The ID to use in requests: the one that was sent if it is current, otherwise the preferred one. */
  readonly ticker: string
  /** Its other current IDs. */
  readonly aliases: readonly string[]
  /** IDs of companies with the same number in another register. */
  readonly others: readonly string[]
  /** Notes on what is assumed about the ID or has changed. */
  readonly notes: readonly string[]
}

/**
 * Finds a company by any ID that its register uses. If another company had a symbol on a past day, the symbol finds that
 * company. If no source says which company had it, it finds today's company, with a note.
 *
 * @param as null: today
 */
export async function findByAnyId(
  deps: { readonly sql: SqlClient } & Pick<CompanyDeps, 'markets' | 'today'>,
  id: string,
  as: SentAsOf | null = null,
): Promise<FoundCompany> {
  const { sql, markets } = deps
  const { ids, numbers } = candidateIds(markets.manifests, id)
  const sent = id.trim().toUpperCase()
  const then = as === null || ids.length === 0 ? undefined : await readAsSent(deps, sent, as)
  const [entity, ...rest] =
    then?.company != null
      ? await findEntities(sql, [], [then.company])
      : ids.length === 0
        ? []
        : await findEntities(sql, ids, numbers)
  if (entity === undefined) {
    const near = await nearIds(sql, markets.manifests, sent)
    const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
    throw new Failure(
      'entity_unknown',
      `${id.slice(0, 64)} is not a known company.${hint} ${await describeExtent(sql)} GET /api/search?q= finds the ID for a name.`,
      { param: 'id', near },
    )
  }
  const names = [entity.ticker, ...entity.aliases]
  const ticker = names.find(name => name === sent || respellings(sent).includes(name)) ?? entity.ticker
  const changed = changedId(sent, {
    ticker,
    issuerId: entity.issuerId,
    sentId: entity.formerIds.includes(sent) ? sent : null,
    formerHolders: rest.filter(other => other.isFormer).map(other => other.ticker),
  })
  const notes = [assumedSuffix(markets.get(entity.market), ticker, names), changed, then?.reason ?? null]
  return {
    entity,
    ticker,
    aliases: names.filter(name => name !== ticker),
    others: rest.filter(other => !other.isFormer).map(other => other.ticker),
    notes: notes.filter(note => note !== null),
  }
}

/** The company that an ID named on a past day; undefined if the ID is not a symbol or no source mentions it. */
async function readAsSent(
  deps: { readonly sql: SqlClient } & Pick<CompanyDeps, 'markets' | 'today'>,
  id: string,
  sent: SentAsOf,
): Promise<IdOnDay | undefined> {
  const then = (await findAsSent(deps, idReader(deps.sql), [id], sent)).get(id)
  if (then?.isOther) {
    const message = `${id} is not a known company on ${writtenDay(sent)}. ${then.reason}`
    throw new Failure('entity_unknown', message, { param: 'id' })
  }
  return then?.isDated ? then : undefined
}

/**
 * Finds the companies that IDs name on the requested day or at the requested instant. The day of an instant depends on
 * the company's market, which is known only once the company is found, so the days before and after the written one are
 * tried as well.
 */
async function findAsSent(
  { markets, today: now }: Pick<CompanyDeps, 'markets' | 'today'>,
  reader: IdReader,
  ids: readonly string[],
  sent: SentAsOf | null,
): Promise<ReadonlyMap<string, IdOnDay>> {
  const today = now()
  const before = (day: IsoDate) => (day < today ? day : null)
  const written = sent === null ? today : writtenDay(sent)
  if (sent === null || sent.kind === 'day') return findOnDay(reader, ids, today, before(written))
  const found = new Map<string, IdOnDay>()
  let open = ids
  for (const day of [written, addDays(written, -1), addDays(written, 1)]) {
    if (open.length === 0) break
    for (const [id, named] of await findOnDay(reader, open, today, before(day))) {
      const market = named.company?.market
      const isItsDay = market !== undefined && dayOf(resolveAsOf(markets, market, sent, today)) === day
      if (market === undefined ? !found.has(id) : isItsDay) found.set(id, named)
    }
    open = open.filter(id => (found.get(id)?.company ?? null) === null)
  }
  return found
}

/**
 * Returns an ID that names the company on a past day: its ticker or, if it did not have that symbol then, its number.
 */
export async function idOnDay(
  deps: { readonly sql: SqlClient } & Pick<CompanyDeps, 'markets' | 'today'>,
  { entity, ticker }: Pick<FoundCompany, 'entity' | 'ticker'>,
  sent: SentAsOf,
): Promise<string> {
  const { company } = (await findAsSent(deps, idReader(deps.sql), [ticker], sent)).get(ticker) ?? {}
  return company?.entityId === entity.entityId ? ticker : entity.issuerId
}

/**
 * IDs that name the companies of a list on a past day, by the ticker of each row: the ticker or, if the company did not
 * have that symbol then, its number.
 */
export async function idsOnDay(
  deps: Pick<CompanyDeps, 'lookups' | 'markets' | 'directory' | 'today'>,
  companies: readonly { readonly ticker: string; readonly issuer_id: string }[],
  sent: SentAsOf,
): Promise<ReadonlyMap<string, string>> {
  const tickers = [...new Set(companies.map(({ ticker }) => ticker))]
  if (tickers.length === 0) return new Map()
  const found = await findAsSent(deps, idReader(deps.lookups, deps.directory), tickers, sent)
  return new Map(
    companies.map(({ ticker, issuer_id }) => [
      ticker,
      found.get(ticker)?.company?.issuerId === issuer_id ? ticker : issuer_id,
    ]),
  )
}

/** Says how many companies are loaded and how to load more: with only the sample, most IDs are unknown. */
export async function describeExtent(sql: SqlClient): Promise<string> {
  const count = await countCompanies(sql)
  const loaded = count === 1 ? '1 company is' : `${count.toLocaleString('en-US')} companies are`
  return `${loaded} loaded here. The operator adds more with \`./asfiled sync <market>\` or \`./asfiled import <market> <files>\`.`
}

const maxNear = 3
/** Longer IDs would have more than a thousand spellings at distance one, and each costs a probe. */
const maxSpelledLength = 16
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-'

/**
 * Up to three IDs that an unknown ID may stand for: first the entity with that register number, then IDs that
 * differ by one letter or are adjacent in order. At most a thousand probes of a primary key: 1.4 ms among
 * 744,000 IDs, whereas a trigram index (pg_trgm) takes 85 ms and 19 MB, and finds 30 instead of 57 of 80
 * mistyped US symbols.
 */
export async function nearIds(sql: SqlClient, manifests: readonly Manifest[], id: string): Promise<string[]> {
  const { ids, numbers } = candidateIds(manifests, id)
  if (ids.length === 0) return []
  const named = await findEntities(sql, ids, numbers)
  const found = new Set(named.map(entity => entity.ticker))
  if (found.size < maxNear) {
    const spellings = id.length <= maxSpelledLength ? oneLetterAway(id) : []
    for (const name of nearNames(id, await neighbouringIds(sql, id, spellings), maxNear)) found.add(name)
  }
  return [...found].slice(0, maxNear)
}

function oneLetterAway(id: string): string[] {
  const spellings = new Set<string>()
  for (let at = 0; at <= id.length; at++) {
    const before = id.slice(0, at)
    for (const letter of letters) {
      spellings.add(before + letter + id.slice(at))
      if (at < id.length) spellings.add(before + letter + id.slice(at + 1))
    }
    if (at < id.length) spellings.add(before + id.slice(at + 1))
    if (at + 1 < id.length) spellings.add(before + id[at + 1] + id[at] + id.slice(at + 2))
  }
  spellings.delete(id)
  spellings.delete('')
  return [...spellings]
}

export interface Candidates {
  /** IDs to look up, beginning with the one in the request. */
  readonly ids: string[]
  readonly numbers: RegisterNumber[]
}

const printable = /^[\x20-\x7e]+$/

/**
 * Lists every ID and register number that `sent` can mean: with and without the market's suffix or leading
 * zeros, and without spaces and dots between digits. The manifests define the formats.
 */
export function candidateIds(manifests: readonly Manifest[], sent: string): Candidates {
  const id = sent.trim().toUpperCase()
  if (!printable.test(id)) return { ids: [], numbers: [] }
  const ids = new Set([id, ...respellings(id)])
  const numbers: RegisterNumber[] = []
  for (const manifest of manifests) {
    const suffix = manifest.id.suffixes.find(ending => id.endsWith(ending))
    const number = registerNumber(manifest, suffix === undefined ? id : id.slice(0, -suffix.length))
    if (number === null) continue
    const spellings = new Set([number, number.padStart(manifest.issuer.digits ?? 0, '0')])
    for (const spelling of spellings) {
      numbers.push({ market: manifest.code, issuerId: spelling })
      for (const ending of manifest.id.suffixes) ids.add(`${spelling}${ending}`)
    }
  }
  for (const manifest of manifests) {
    for (const ending of manifest.id.suffixes) {
      const whole = `${id}${ending}`
      if (new RegExp(manifest.id.pattern).test(whole)) ids.add(whole)
    }
  }
  return { ids: [...ids], numbers }
}

function registerNumber(manifest: Manifest, text: string): string | null {
  const pattern = new RegExp(manifest.issuer.pattern)
  const compact = text.replaceAll(/[\s./-]/g, '')
  return pattern.exec(compact)?.[1] ?? null
}
