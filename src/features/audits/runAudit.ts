import type { EventBlock } from '../../backtest/asOf/figureEvents.ts'
import type { JoinBodyInput } from '../../backtest/asOf/joinBody.ts'
import type { JoinFormat } from '../../backtest/asOf/request.ts'
import type { ParsedRows } from '../../backtest/asOf/rows.ts'
import type { AuditBody } from '../../backtest/audit/auditBody.ts'
import type { AuditFindings, ColumnToAudit } from '../../backtest/audit/auditTask.ts'
import type { FoundReading } from '../../backtest/audit/interpret.ts'
import type { PremiumSettings } from '../../backtest/audit/premiumOfColumn.ts'
import type { WorstCell } from '../../backtest/audit/result.ts'
import type { AsOfPeriod } from '../../backtest/figureScore.ts'
import type { RunOptions } from '../../backtest/pool/computePool.ts'
import type { Priority } from '../../backtest/pool/tickets.ts'
import { Failure } from '../../errors.ts'
import { documentUrl } from '../../markets/documents.ts'
import type { Markets } from '../../markets/markets.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { freeLicenceNotice, isFreeData, isUnpaid } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import { loadMoreTerms } from '../../wholeFilings/termQueries.ts'
import { maxAnswerBytes } from '../asOfJoins/answerMemory.ts'
import {
  accessKeyOf,
  authorizeJoin,
  findInSnapshot,
  findJoinCompanies,
  type JoinCompanies,
} from '../asOfJoins/companies.ts'
import { publicByTime } from '../asOfJoins/description.ts'
import {
  blockNames,
  type FigureSource,
  type OpenedBlocks,
  openBlocks,
  type VersionedCompanies,
} from '../asOfJoins/figures.ts'
import { atVersion, clocksOf, type JoinDeps, nameRules } from '../asOfJoins/join.ts'
import type { BlockName } from '../asOfJoins/queries.ts'
import type { JoinSender } from '../asOfJoins/sender.ts'
import {
  asksForTags,
  boundFiledColumns,
  everyPeriod,
  otherPeriodsOf,
  type WantedColumn,
  wantedColumns,
} from './columns.ts'
import type { FiledName } from './filedColumns.ts'
import {
  type AuditDeps,
  buildFiledEvents,
  buildFiledVintages,
  isSameName,
  readFiledFigures,
} from './filedFigures.ts'
import type { AuditHead } from './schema.ts'

export type SentAudit = Omit<JoinBodyInput, 'today' | 'maxRows'>

export interface AuditAnswer {
  readonly dataVersion: number
  /** The answer but for its rows. */
  readonly head: AuditHead
  readonly markets: readonly string[]
  readonly rows: AuditFindings['rows']
  /** Releases the memory of the rows. Must be called once the response is sent. */
  readonly release: () => void
}

/** Reads the body of an audit and counts its rows. The caller keeps the bytes. */
export async function openAudit(
  { pool, today }: JoinDeps,
  { caller, budget }: JoinSender,
  sent: SentAudit,
  signal: AbortSignal,
): Promise<AuditBody> {
  const input = { ...sent, today: today(), maxRows: budget?.maxRows }
  const body = await pool.tasks.readAuditBody(input, { signal, caller })
  const cells = body.rows.count * body.columns.length
  if (cells > maxAuditedCells) {
    throw new Failure(
      'body_invalid',
      `The rows have ${cells.toLocaleString('en')} cells to audit; an audit has at most ${maxAuditedCells.toLocaleString('en')}. Split it by date, or name fewer columns.`,
      { param: 'rows' },
    )
  }
  await budget?.charge(body.rows.count)
  return body
}

const maxAuditedCells = 25_000_000

/** Checks whether the caller may audit these rows; their companies count as seen. */
export async function checkAudit(
  deps: AuditDeps,
  { rights, caller }: JoinSender,
  body: AuditBody,
  signal: AbortSignal,
): Promise<void> {
  const { rows, plan } = body
  const columns = await columnsOf(deps, body)
  await atVersion(deps, plan.dataVersion, signal, async at => {
    const rules = auditRules(at, rows, { signal, caller })
    const { companies } = await findJoinCompanies(at, rows.names, rules, at.dataVersion())
    await authorizeJoin(at, rights, companies)
    boundFiledColumns(deps.markets, columns, companies.identities.length)
  })
}

/** What the columns may contain, before the companies are known. */
async function columnsOf(deps: AuditDeps, body: AuditBody): Promise<readonly WantedColumn[]> {
  if (asksForTags(body)) await loadMoreTerms(deps.sql, deps.terms)
  return wantedColumns(deps, body)
}

/** Runs an audit whose body has been read. */
export async function runAudit(
  deps: AuditDeps,
  { rights, caller }: JoinSender,
  body: AuditBody,
  formats: readonly JoinFormat[],
  signal: AbortSignal,
  priority: Priority = 'interactive',
): Promise<AuditAnswer> {
  const { pool, answerMemory } = deps
  const { rows, plan, columns } = body
  const ticket = pool.admit(caller, priority)
  try {
    const metrics = columns.flatMap(({ name }) => [name, `${name}_state`, `${name}_days`])
    const added = formats.length * columns.length * rows.count * carriedCellBytes
    const room = answerMemory.reserve(rows.count, { metrics, extras: [] }, isUnpaid(rights), added)
    try {
      const wanted = await columnsOf(deps, body)
      const { terms, readLimiter } = deps
      const run = { signal, ticket, subject: `${caller.tier} ${caller.name}` }
      const answer = await atVersion(deps, plan.dataVersion, signal, at =>
        auditAt({ terms, readLimiter, ...at }, rights, body, wanted, formats, run),
      )
      const bytes = Object.values(answer.rows).reduce((sum, { length }) => sum + length, 0)
      return { ...answer, release: room.keep(bytes) }
    } catch (error) {
      room.release()
      throw error
    }
  } finally {
    pool.leave(ticket)
  }
}

const carriedCellBytes = 16

const maxAttempts = 8

type Run = RunOptions & {
  readonly signal: AbortSignal
  /** Whose turn it is to read whole filings. */
  readonly subject: string
}

async function auditAt(
  deps: AuditDeps,
  rights: Rights,
  body: AuditBody,
  wanted: readonly WantedColumn[],
  formats: readonly JoinFormat[],
  run: Run,
): Promise<Omit<AuditAnswer, 'release'>> {
  for (let left = maxAttempts; left > 0; left--) {
    const found = await tryAudit(deps, rights, body, wanted, formats, run)
    if (found !== null) return found
  }
  throw new Failure(
    'database_unavailable',
    'The data kept changing while this request was being served. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/** Null: an import came in between, so that figures of two data versions would be mixed. */
async function tryAudit(
  deps: AuditDeps,
  rights: Rights,
  body: AuditBody,
  sent: readonly WantedColumn[],
  formats: readonly JoinFormat[],
  run: Run,
): Promise<Omit<AuditAnswer, 'release'> | null> {
  const { pool, events } = deps
  const { rows, plan } = body
  const lease = events.lease()
  try {
    const rules = auditRules(deps, rows, run)
    const source = {
      sql: deps.sql,
      entitiesOf: ({ identities }: JoinCompanies) => Int32Array.from(identities, ({ entityId }) => entityId),
      findAgain: (snapshot: SqlClient) => findInSnapshot(snapshot, rows.names, rules),
      accessKey: accessKeyOf,
      authorize: (companies: JoinCompanies) => authorizeJoin(deps, rights, companies),
    }
    const open = (
      first: { readonly dataVersion: number; readonly companies: JoinCompanies },
      namesOf: (entities: Int32Array) => readonly BlockName[],
    ) => openBlocks(lease, source, first, namesOf, run.signal)

    const companiesFound = await findJoinCompanies(deps, rows.names, rules, deps.dataVersion())
    const named = boundFiledColumns(deps.markets, sent, companiesFound.companies.identities.length)
    const filed = await openFiled(deps, source, companiesFound, named, run)
    if (filed === null) return null
    const first = filed.found
    const recognised = await recogniseColumns(deps, rows, named, names => open(first, names), run)
    const wanted = recognised.columns
    const candidates = wanted.map(({ kind, names, periods, settings }) =>
      names.flatMap(name =>
        periods.map((fp): Candidate => ({ kind, name, fp, currency: settings.currency ?? null })),
      ),
    )
    const opened = await open(recognised.opened ?? first, entities => [
      ...ofCompanies(entities, 'announcements'),
      ...candidates
        .flat()
        .flatMap(({ kind, name, fp }) => (kind === 'metric' ? vintageNames(entities, name, fp) : [])),
    ])
    if (recognised.opened !== null && recognised.opened.dataVersion !== opened.dataVersion) return null
    if (filed.hasFigures && first.dataVersion !== opened.dataVersion) return null
    const input = rowsInput(rows, opened)
    const take = taker(opened)
    const releases = take()
    const unitNames = filed.unitNames(events.units)
    const toInterpret = []
    for (const [column, { cells, settings }] of wanted.entries()) {
      const { scale = null, sign = null } = settings
      const vintages = []
      for (const candidate of candidates[column]) {
        const { name, fp } = candidate
        const blocks = isFiled(candidate) ? await filed.vintages(candidate, fp, unitNames) : take()
        vintages.push({ name, fp, vintages: blocks })
      }
      toInterpret.push({ cells, scale, sign, candidates: vintages })
    }
    const readings = await pool.tasks.interpretColumns({ ...input, columns: toInterpret }, run)

    const hasTimes = (rows.times ?? null) !== null
    const chosen = wanted.map((column, index) => chooseReading(column, candidates[index], readings[index]))
    const figures = await open(opened, entities => auditNames(entities, chosen, hasTimes))
    if (figures.dataVersion !== opened.dataVersion) return null
    const next = taker(figures)
    const moments = hasTimes ? next() : []
    const columns: ColumnToAudit[] = []
    for (const { others, ...column } of chosen) {
      const { fp } = column
      if (isFiled(column)) {
        const otherPeriods = []
        for (const other of others)
          otherPeriods.push({ fp: other, vintages: await filed.vintages(column, other, unitNames) })
        columns.push({
          ...column,
          figures: await filed.events(column, fp, unitNames),
          vintages: await filed.vintages(column, fp, unitNames),
          otherPeriods,
          interims: null,
        })
        continue
      }
      columns.push({
        ...column,
        figures: next(),
        vintages: next(),
        otherPeriods: others.map(other => ({ fp: other, vintages: next() })),
        interims: hasTimes ? { figures: next(), vintages: next() } : null,
      })
    }
    const { companies } = figures
    const findings = await pool.tasks.auditRows(
      {
        ...rowsInput(rows, figures),
        plan,
        columns,
        unitNames: new Map([...events.units, ...unitNames]),
        others: othersOfNames(rows, companies),
        releases,
        clocks: hasTimes ? { ...clocksOf(deps.markets, companies), moments } : null,
        premium: premiumSettings(deps.markets, rights, body, companies),
        formats,
        limit: maxAnswerBytes,
      },
      run,
    )
    return describeAudit(deps.markets, rights, body, figures, findings, recognised.ignored)
  } finally {
    lease.release()
  }
}

/** A premium is a backtest, so it needs the plan that includes backtests. */
const premiumSettings = (
  { costs }: Markets,
  { quant }: Rights,
  { plan, returns }: AuditBody,
  { identities }: JoinCompanies,
): PremiumSettings | null =>
  returns === null || !quant
    ? null
    : { returns, config: plan.config, costs: costs.plain, markets: identities.map(({ market }) => market) }

const auditRules = (deps: JoinDeps, rows: ParsedRows, run: RunOptions) => ({
  ...nameRules(deps, rows, { followsLineage: true }, run),
  takesAllHolders: true,
})

/** A kind of figures that a column may show. */
interface Candidate {
  readonly kind: 'metric' | 'tag' | 'line'
  readonly name: string
  readonly fp: AsOfPeriod
  readonly currency: string | null
}

const isFiled = <Named extends Omit<Candidate, 'fp'>>(
  named: Named,
): named is Named & { readonly kind: FiledName['kind'] } => named.kind !== 'metric'

/** The figures of columns that are read from whole filings. */
interface OpenedFiled {
  /** The companies, and the data version of the figures. */
  readonly found: VersionedCompanies<JoinCompanies>
  readonly hasFigures: boolean
  readonly unitNames: (stored: ReadonlyMap<number, string>) => ReadonlyMap<number, string>
  readonly vintages: ReadBlocks
  readonly events: ReadBlocks
}

type ReadBlocks = (
  name: FiledName,
  fp: AsOfPeriod,
  unitNames: ReadonlyMap<number, string>,
) => Promise<readonly EventBlock[]>

/** Null: an import came in between. */
async function openFiled(
  deps: AuditDeps,
  source: FigureSource<JoinCompanies>,
  first: VersionedCompanies<JoinCompanies>,
  columns: readonly WantedColumn[],
  run: Run,
): Promise<OpenedFiled | null> {
  const names: FiledName[] = []
  for (const { kind, names: ofColumn, settings } of columns) {
    if (kind === 'metric') continue
    for (const name of ofColumn) {
      const one = { kind, name, currency: settings.currency ?? null }
      if (!names.some(other => isSameName(one, other))) names.push(one)
    }
  }
  if (names.length === 0) {
    const nothing = async () => []
    return {
      found: first,
      hasFigures: false,
      unitNames: stored => stored,
      vintages: nothing,
      events: nothing,
    }
  }
  const read = await readFiledFigures(deps, source, first, names, run.subject, run.signal)
  if (read === null) return null
  const { found, figures } = read
  return {
    found,
    hasFigures: true,
    unitNames: stored => figures.unitNames(stored),
    vintages: (name, fp, unitNames) => buildFiledVintages(deps, figures.packed(name, fp, unitNames), run),
    events: (name, fp, unitNames) => buildFiledEvents(deps, figures.packed(name, fp, unitNames), run),
  }
}

const vintageNames = (entities: Int32Array, metric: string, fp: AsOfPeriod): BlockName[] =>
  blockNames(entities, [metric], { fp }).map(name => ({ ...name, kind: 'vintages' }))

/** Takes the blocks of one kind of figures after another, as they were named. */
function taker({ entities, blocks }: OpenedBlocks<unknown>): () => readonly EventBlock[] {
  const each = blockNames(entities, [''], { fp: 'FY' }).length
  let at = 0
  return () => {
    at += each
    return blocks.slice(at - each, at)
  }
}

const rowsInput = (rows: ParsedRows, { companies, entities }: OpenedBlocks<JoinCompanies>) => ({
  rows,
  companyOfName: companies.companyOfName,
  slotOfRow: companies.slotOfRow,
  entities,
})

/** Fewer matches may be chance: the metrics of a company are many. */
const leastShareByValues = 0.3

/** Finds the metrics of columns whose names say nothing, by comparing their values with all metrics. */
async function recogniseColumns(
  { pool }: JoinDeps,
  rows: ParsedRows,
  named: readonly WantedColumn[],
  open: (names: (entities: Int32Array) => readonly BlockName[]) => Promise<OpenedBlocks<JoinCompanies>>,
  run: Run,
): Promise<{
  readonly columns: readonly WantedColumn[]
  readonly ignored: readonly string[]
  readonly opened: OpenedBlocks<JoinCompanies> | null
}> {
  const unnamed = named.filter(({ recognised }) => recognised === 'values')
  const [some] = unnamed
  if (some === undefined) return { columns: named, ignored: [], opened: null }
  const opened = await open(entities =>
    some.names.flatMap(metric => vintageNames(entities, metric, everyPeriod)),
  )
  const take = taker(opened)
  const candidates = some.names.map(name => ({ name, fp: everyPeriod, vintages: take() }))
  const columns = unnamed.map(({ cells, settings }) => ({
    cells,
    scale: settings.scale ?? null,
    sign: settings.sign ?? null,
    candidates,
  }))
  const readings = await pool.tasks.interpretColumns({ ...rowsInput(rows, opened), columns }, run)
  const found = new Map<WantedColumn, string>()
  for (const [index, { candidate, matchedShare }] of readings.entries())
    if (matchedShare >= leastShareByValues) found.set(unnamed[index], some.names[candidate])
  const isFound = (column: WantedColumn) => column.recognised !== 'values' || found.has(column)
  const ignored = named.filter(column => !isFound(column)).map(({ cells }) => cells.name)
  const kept = named.filter(isFound)
  if (kept.length > 0) {
    const known = kept.map(column => {
      const metric = found.get(column)
      return metric === undefined ? column : { ...column, names: [metric] }
    })
    return { columns: known, ignored, opened }
  }
  throw new Failure(
    'parameter_invalid',
    `Neither the names nor the values of the columns say what they contain: ${ignored.join(', ')}. Name their metrics in columns, such as {"${ignored[0]}": "revenue"}.`,
    { param: 'columns' },
  )
}

/** A column, and what it was found to contain. */
function chooseReading(
  { cells, settings, recognised, kind }: WantedColumn,
  candidates: readonly Candidate[],
  reading: FoundReading,
) {
  const { name, fp } = candidates[reading.candidate]
  return {
    cells,
    recognised,
    reading,
    kind,
    name,
    fp,
    nextFp: reading.nextBest === null ? null : candidates[reading.nextBest.candidate].fp,
    splits: settings.splits ?? null,
    currency: settings.currency ?? null,
    others: otherPeriodsOf({ kind }, fp),
  }
}

const ofCompanies = (entities: Int32Array, kind: 'announcements' | 'moments'): BlockName[] =>
  blockNames(entities, [''], { fp: 'FY' }).map(name => ({ ...name, kind }))

/** The blocks that an audit needs besides announcements: those of its companies, then those of each metric. */
function auditNames(
  entities: Int32Array,
  columns: readonly ReturnType<typeof chooseReading>[],
  hasTimes: boolean,
): BlockName[] {
  const names = hasTimes ? ofCompanies(entities, 'moments') : []
  for (const { kind, name: metric, fp, others } of columns) {
    if (kind !== 'metric') continue
    const figures = blockNames(entities, [metric], { fp })
    names.push(...figures, ...vintageNames(entities, metric, fp))
    for (const other of others) names.push(...vintageNames(entities, metric, other))
    if (hasTimes)
      names.push(
        ...figures.map((name): BlockName => ({ ...name, kind: 'interims' })),
        ...figures.map((name): BlockName => ({ ...name, kind: 'interimVintages' })),
      )
  }
  return names
}

/** By name, the companies that had it on other days, and the registrants of the lineages of all of these. */
function othersOfNames(
  { names }: ParsedRows,
  { companyOfName, dated, kin }: JoinCompanies,
): ReadonlyMap<number, readonly number[]> {
  const kinOfCompany = Map.groupBy(kin, ({ company }) => company)
  const holders = new Map(
    dated.map(({ name, slots }) => [name, Array.from(slots, slot => companyOfName[slot])]),
  )
  const others = new Map<number, readonly number[]>()
  for (let name = 0; name < names.length; name++) {
    const own = (holders.get(name) ?? [companyOfName[name]]).filter(company => company !== -1)
    const all = new Set([
      ...own,
      ...own.flatMap(company => kinOfCompany.get(company)?.map(({ other }) => other) ?? []),
    ])
    if (all.size > 1 || holders.has(name)) others.set(name, [...all])
  }
  return others
}

function describeAudit(
  markets: Markets,
  rights: Rights,
  { rows, plan }: AuditBody,
  { companies, dataVersion }: OpenedBlocks<JoinCompanies>,
  { columns, counts, worst, premium, rows: written }: AuditFindings,
  ignored: readonly string[],
): Omit<AuditAnswer, 'release'> {
  const { identities, unknown } = companies
  const codes = [...new Set(identities.map(({ market }) => market))].sort()
  const known =
    (rows.times ?? null) !== null
      ? publicByTime
      : plan.inclusive
        ? 'filed on or before the date'
        : 'filed before the date'
  const named = unknown.map(name => rows.names[name])
  return {
    dataVersion,
    markets: codes,
    rows: written,
    head: {
      object: 'audit',
      count: rows.count,
      data_version: dataVersion,
      known,
      max_age_days: plan.maxAgeDays,
      counts,
      columns: [...columns],
      ignored: [...ignored],
      worst: worst.map(({ company, ...cell }): WorstCell => {
        const { issuerId = null, market = '' } = identities[company] ?? {}
        const url =
          issuerId === null || cell.filing === null
            ? null
            : documentUrl(markets.get(market), issuerId, cell.filing)
        return { ...cell, issuer_id: issuerId, url }
      }),
      premium: [...premium],
      unknown: named.slice(0, maxNamed),
      unknown_count: named.length,
      ...(isFreeData(rights) ? { licence: freeLicenceNotice } : {}),
      attribution: codes.flatMap(code => markets.get(code)?.attribution ?? []),
    },
  }
}

const maxNamed = 100
