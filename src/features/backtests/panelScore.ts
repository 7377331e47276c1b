import type { ScoreClocks, ScoredRows, ScoreInput } from '../../backtest/asOf/scoreDataset.ts'
import { type Dataset, nameCount } from '../../backtest/dataset/dataset.ts'
import {
  type AsOfPeriod,
  type BacktestScore,
  defaultMaxAgeDays,
  type PanelScore,
} from '../../backtest/figureScore.ts'
import type { ComparedRows, PanelScored } from '../../backtest/pipeline/selectData.ts'
import { paidKey } from '../../backtest/pool/caller.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import type { OtherChoice, VintageChoice } from '../../backtest/requestCompare.ts'
import { addDays, dayNumber, type IsoDate, isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { type CheckState, readChecks } from '../../markets/checkStates.ts'
import { type CompanyState, readStates } from '../../markets/companyStates.ts'
import { type Grouping, readGrouping } from '../../markets/industries.ts'
import type { Markets } from '../../markets/markets.ts'
import type { MetricDefinition } from '../../markets/metrics.ts'
import { figuresOf, takesPrices } from '../../markets/strategies/pricedMetrics.ts'
import { strategies } from '../../markets/strategies/strategies.ts'
import { findValuation } from '../../markets/valuations.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import { readDataVersion } from '../../postgres/dataVersion.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import { readPrincipal, recordEntities } from '../../rights/queries.ts'
import { Rights } from '../../rights/rights.ts'
import {
  accessKeyOf,
  type FindSlots,
  findInSnapshot,
  type JoinCompanies,
  versioned,
} from '../asOfJoins/companies.ts'
import type { EventLease, EventStore } from '../asOfJoins/eventStore.ts'
import { openFigures } from '../asOfJoins/figures.ts'
import { clocksOf } from '../asOfJoins/join.ts'
import { unitNumber } from '../asOfJoins/scoreFigures.ts'
import { withSpells } from '../asOfJoins/spellQueries.ts'
import { type OpenedPrices, type WantedPrices, withPrices } from '../asOfJoins/valuationPrices.ts'
import type { ArchivePins } from './pinnedArchives.ts'
import { comparesValuation, metricOf, otherChoices, unitOf } from './score.ts'

export interface PanelScoreDeps {
  readonly sql: Sql
  readonly pool: Pick<ComputePool, 'tasks'>
  readonly markets: Pick<Markets, 'codes' | 'metrics' | 'get' | 'sessions'>
  readonly events: EventStore
  readonly pins: ArchivePins
  readonly dataVersion: () => number | Promise<number>
  /** The current UTC day. */
  readonly today: () => IsoDate
}

/**
 * A panel's rows with a metric as their score: each date gets the figure known strictly before it, as in
 * `POST /api/v1/as-of`.
 *
 * @param names the IDs of the panel's assets in their order, one per line
 * @param pinned the data version that the request names; undefined means the current one
 * @param compare choices of vintages by which the rows are scored as well
 */
export async function scorePanel(
  deps: PanelScoreDeps,
  keyId: number,
  data: Dataset,
  names: string,
  score: PanelScore,
  pinned: number | undefined,
  compare?: readonly VintageChoice[],
): Promise<{ data: Dataset; scored: PanelScored }> {
  const { sql, pool, markets, events } = deps
  if (score.asOf === undefined) return choosePanel(deps, keyId, data, names, score, pinned)
  const request = readScore(markets, { ...score, asOf: score.asOf })
  const others = otherChoices(compare)
  refuseLaterDates(data, deps.today(), 'score.asOf', score.at !== undefined)
  // Read when the job runs rather than with the request, because the licence may have changed in between.
  const rights = new Rights(await readPrincipal(sql, keyId))
  if (!rights.seesAllHistory)
    throw licenceRequired(`score.asOf (${request.metric})`, 'score.asOf', rights.licence)
  const lease = events.lease()
  try {
    const panel = { keyId, entityCap: rights.entityCap, data, ids: names.split('\n'), request, others }
    const prices = pricesWanted(deps, rights, request, data)
    if (prices !== null && others.length > 0) throw comparesValuation(request.metric)
    const known = await atVersion(deps, pinned, (store, dataVersion) =>
      withPrices(store, prices, async () => {
        const figures = await openKnown(deps, lease, panel, store, dataVersion)
        return { ...figures, entities: assetEntities(figures.companies) }
      }),
    )
    const caller = { caller: paidKey(keyId), priority: 'background' } as const
    const scored = await pool.tasks.scoreDataset(scoreInput(deps, data, request, known), caller)
    if (scored.assets === 0) throw noValues(request.score, request.maxAgeDays)
    const [unit] =
      known.valued === null
        ? oneUnit(deps, request, scored)
        : scored.units.map(id => known.valued?.unitNames.get(id) ?? '')
    const compared: ComparedRows[] = []
    for (const [i, vintages] of others.entries()) {
      const input = scoreInput(deps, data, request, { ...known, blocks: [known.others[i]] })
      const rows = await pool.tasks.scoreDataset(input, caller)
      oneUnit(deps, request, rows)
      compared.push({ vintages, data: rows.data, assets: rows.assets })
    }
    const counts = { n_names: nameCount(data.assets), n_assets: scored.assets }
    const priceSet = known.valued === null ? {} : { price_set: known.valued.set.name }
    const described = { ...describeScore(markets, request, known.companies, unit, counts), ...priceSet }
    return { data: scored.data, scored: { dataVersion: known.dataVersion, score: described, compared } }
  } finally {
    lease.release()
  }
}

/**
 * A panel's rows with their own scores, and the groups and states that filings before each date give their companies. Rows
 * outside of those that are asked for have no score.
 */
async function choosePanel(
  deps: PanelScoreDeps,
  keyId: number,
  data: Dataset,
  names: string,
  score: PanelScore,
  pinned: number | undefined,
): Promise<{ data: Dataset; scored: PanelScored }> {
  const { sql, pool, markets } = deps
  const choice = readChoice(score)
  const param = score.group === undefined ? 'score.universe' : 'score.group'
  refuseLaterDates(data, deps.today(), param, false)
  const rights = new Rights(await readPrincipal(sql, keyId))
  if (!rights.seesAllHistory) throw licenceRequired(param, param, rights.licence)
  const panel = { keyId, entityCap: rights.entityCap, data, ids: names.split('\n') }
  const known = await atVersion(deps, pinned, store => openChoice(deps, panel, choice, store))
  const { dated, identities } = known.companies
  const entities = assetEntities(known.companies)
  const units = new Int16Array(entities.length).fill(-1)
  const spells = spellsOf(choice, known)
  const rows = { data, dated, entities, units, blocks: null, maxAgeDays: 0, ...spells, ranked: false }
  const caller = { caller: paidKey(keyId), priority: 'background' } as const
  const chosen = await pool.tasks.scoreDataset(rows, caller)
  if (chosen.assets === 0) throw noneChosen(param)
  const counts = { n_names: nameCount(data.assets), n_assets: chosen.assets }
  const described = { ...describeCompanies(markets, score, identities), ...counts }
  return { data: chosen.data, scored: { dataVersion: known.dataVersion, score: described } }
}

/** The name of the unit of the scores, if there are any. Amounts in several units cannot be ranked together. */
function oneUnit({ events }: PanelScoreDeps, { metric }: ScoreRequest, { units }: ScoredRows): string[] {
  const names = units.map(unit => events.units.get(unit) ?? '')
  if (names.length > 1) throw severalUnits(metric, names)
  return names
}

/** Null unless the score takes prices. */
function pricesWanted(
  { events }: Pick<PanelScoreDeps, 'events'>,
  rights: Rights,
  { score, metric }: ScoreRequest,
  { days }: Dataset,
): WantedPrices | null {
  if (!takesPrices(metric)) return null
  const range = { first: days[0], last: days[days.length - 1] }
  return {
    events,
    rights,
    sent: score.prices ?? null,
    valuation: metric,
    param: 'score.prices',
    days: range,
  }
}

/** Which companies a request's score chooses, with its parameters checked. */
interface CompanyChoice {
  readonly score: PanelScore
  readonly grouping: Grouping | null
  readonly universe: readonly CompanyState[] | null
}

type MetricScore = PanelScore & { readonly asOf: string }

/** A request's score, with its parameters checked. */
interface ScoreRequest extends CompanyChoice {
  readonly score: MetricScore
  readonly metric: string
  readonly fp: AsOfPeriod
  readonly maxAgeDays: number
  readonly checks: readonly CheckState[] | null
  readonly definition: MetricDefinition
}

const readChoice = (score: PanelScore): CompanyChoice => ({
  score,
  grouping: score.group === undefined ? null : readGrouping(score.group, 'score.group'),
  universe: score.universe === undefined ? null : readStates('score.universe', score.universe),
})

function readScore(markets: PanelScoreDeps['markets'], score: MetricScore): ScoreRequest {
  const {
    asOf: metric,
    fp = strategies.get(score.asOf)?.period ?? 'FY',
    max_age_days: maxAgeDays = defaultMaxAgeDays,
  } = score
  const choice = readChoice(score)
  const checks = readChecks(score.checks, 'score.checks')
  const definition = findValuation(metric) ?? metricOf(markets.metrics, metric, 'score.asOf')
  const strategy = strategies.get(metric)
  if (strategy !== undefined && score.fp !== undefined && score.fp !== strategy.period)
    throw new Failure(
      'parameter_invalid',
      `score.asOf is the strategy ${metric}, whose periods are ${strategy.period} by its definition, so score.fp=${score.fp} cannot apply. Omit score.fp.`,
      { param: 'score.fp' },
    )
  return { ...choice, score, metric, fp, maxAgeDays, checks, definition }
}

/** What is looked up for a key about the assets of a panel. */
interface ScoredPanel {
  readonly keyId: number
  readonly entityCap: number | null
  readonly data: Dataset
  readonly ids: readonly string[]
  readonly request: ScoreRequest
  /** Choices of vintages besides `as_known`. */
  readonly others: readonly OtherChoice[]
}

/** The figures, groups and states of a panel's companies, all from one data version. */
type KnownFigures = Awaited<ReturnType<typeof openKnown>> & { readonly valued: OpenedPrices | null }

async function openKnown(
  { sql, markets, today }: PanelScoreDeps,
  lease: EventLease,
  { keyId, entityCap, data, ids, request, others }: ScoredPanel,
  store: Sql,
  dataVersion: number,
) {
  const { metric, fp, grouping, universe, checks } = request
  const hasTimes = request.score.at !== undefined
  const rules = { findSlots: withinDays(data), followsLineage: false, today: today() }
  const source = {
    sql: store,
    entitiesOf: ({ identities }: JoinCompanies) => Int32Array.from(identities, ({ entityId }) => entityId),
    findAgain: (snapshot: SqlClient) => findInSnapshot(snapshot, ids, rules),
    accessKey: accessKeyOf,
    authorize: (companies: JoinCompanies) => countCompanies(sql, { keyId, entityCap }, companies),
  }
  // Not looked up in `dataVersion`, which an import may have overtaken: an old ID would get another company's figures.
  const opened = async () => {
    const first = versioned(await findInSnapshot(store, ids, rules), dataVersion)
    const figures = figuresOf([metric])
    const metrics = figures.length > 0 ? [] : [metric]
    return openFigures(lease, source, first, { metrics, figures, fp, checks, hasTimes, others })
  }
  const wanted = {
    scheme: grouping?.scheme ?? null,
    hasStates: universe !== null,
    markets: hasTimes ? markets : null,
  }
  return withSpells(store, wanted, opened, ({ companies }) => assetEntities(companies))
}

/** The groups and states of a panel's companies, all from one data version. */
async function openChoice(
  { sql, today }: PanelScoreDeps,
  { ids, data, ...key }: Pick<ScoredPanel, 'keyId' | 'entityCap' | 'data' | 'ids'>,
  { grouping, universe }: CompanyChoice,
  store: Sql,
) {
  const rules = { findSlots: withinDays(data), followsLineage: false, today: today() }
  const opened = async () => {
    const found = await withSnapshot(store, async snapshot => ({
      dataVersion: await readDataVersion(snapshot),
      companies: await findInSnapshot(snapshot, ids, rules),
    }))
    await countCompanies(sql, key, found.companies)
    return found
  }
  const wanted = { scheme: grouping?.scheme ?? null, hasStates: universe !== null, markets: null }
  return withSpells(store, wanted, opened, ({ companies }) => assetEntities(companies))
}

/** Counts companies against the cap of a key, and fails if they exceed it. */
async function countCompanies(
  sql: Sql,
  { keyId, entityCap }: Pick<ScoredPanel, 'keyId' | 'entityCap'>,
  { identities }: JoinCompanies,
): Promise<void> {
  if (entityCap === null || identities.length === 0) return
  const seen = identities.map(({ entityId }) => entityId)
  if (!(await recordEntities(sql, keyId, seen, entityCap))) throw capReached(seen.length, entityCap)
}

/** What the thread needs to score the panel's rows. */
function scoreInput(
  { events, markets }: PanelScoreDeps,
  data: Dataset,
  request: ScoreRequest,
  { companies, blocks, times, groups, states, valued }: KnownFigures,
): ScoreInput {
  const { score, metric, maxAgeDays, definition } = request
  const { companyOfName, dated, identities } = companies
  const unitOfMarket = (market: string) => {
    const manifest = markets.get(market)
    return manifest === undefined ? '' : unitOf(definition, manifest)
  }
  const clocks =
    score.at === undefined || times === null
      ? null
      : {
          ...assetClocks(markets, companies),
          point: score.at,
          moments: times.moments,
          interims: times.interims[0],
        }
  return {
    data,
    dated,
    entities: assetEntities(companies),
    units: Int16Array.from(companyOfName, index => {
      if (index === -1) return -1
      if (valued !== null) return valued.prices.units[definition.unit === 'currency' ? 'currency' : 'pure']
      return unitNumber(events, unitOfMarket(identities[index].market))
    }),
    blocks: blocks[0],
    valuation:
      valued === null ? null : { metric, prices: valued.prices, blocks, interims: times?.interims ?? [] },
    maxAgeDays,
    clocks,
    ...spellsOf(request, { groups, states }),
    ranked: false,
  }
}

/** The groups and states of a panel's companies, and those whose rows are scored. */
const spellsOf = (
  { grouping, universe }: CompanyChoice,
  { groups, states }: Pick<KnownFigures, 'groups' | 'states'>,
): Pick<ScoreInput, 'groups' | 'states'> => ({
  groups: groups === null ? null : { spells: groups, wanted: grouping?.codes ?? null },
  states: states === null || universe === null ? null : { spells: states, wanted: universe },
})

/** The score as the result states it. */
function describeScore(
  markets: PanelScoreDeps['markets'],
  { score, metric, fp, maxAgeDays, definition }: ScoreRequest,
  { identities }: JoinCompanies,
  unit: string,
  counts: Pick<BacktestScore, 'n_names' | 'n_assets'>,
): BacktestScore {
  const { market, known, attribution, ...choice } = describeCompanies(markets, score, identities)
  return {
    metric,
    definition: definition.description,
    unit,
    market,
    fiscal_period: findValuation(metric) === undefined ? fp : 'latest',
    known,
    max_age_days: maxAgeDays,
    ...choice,
    ...(score.checks === undefined ? {} : { checks: score.checks }),
    ...counts,
    attribution,
  }
}

/** Which companies a score is about, as the result states it. */
function describeCompanies(
  markets: Pick<PanelScoreDeps['markets'], 'get'>,
  { at, group, universe }: PanelScore,
  identities: JoinCompanies['identities'],
): Omit<BacktestScore, 'n_names' | 'n_assets'> {
  const codes = [...new Set(identities.map(({ market }) => market))].sort()
  return {
    market: codes.join(', '),
    known: at === undefined ? 'filed before the date' : `public by the ${at}`,
    ...(group === undefined ? {} : { group }),
    ...(universe === undefined ? {} : { universe }),
    attribution: codes.flatMap(code => markets.get(code)?.attribution ?? []).join(' '),
  }
}

/** The company of each asset; -1: none. */
const assetEntities = ({ companyOfName, identities }: JoinCompanies): Int32Array =>
  companyOfName.map(index => (index === -1 ? -1 : identities[index].entityId))

/** The clock of each asset's market. */
function assetClocks(
  markets: Pick<Markets, 'get' | 'sessions'>,
  companies: JoinCompanies,
): Pick<ScoreClocks, 'clocks' | 'marketOf'> {
  const { clocks, marketOf } = clocksOf(markets, companies)
  return { clocks, marketOf: companies.companyOfName.map(index => (index === -1 ? -1 : marketOf[index])) }
}

/**
 * Assumes that every stretch within the range of the rows' days has rows. The thread that scores the rows assigns each
 * row by its date.
 */
const withinDays =
  ({ days }: Dataset): FindSlots =>
  async (dated, slots) => {
    const counts = new Int32Array(slots)
    const [first, last] = [days[0], days[days.length - 1]]
    for (const { starts, slots: ofName } of dated)
      for (const [index, slot] of ofName.entries())
        if (starts[index] <= last && (starts[index + 1] ?? last + 1) > first) counts[slot] = 1
    return { slot: null, counts }
  }

/** Runs `work` on the store of a data version. */
async function atVersion<T>(
  { sql, pins, dataVersion }: Pick<PanelScoreDeps, 'sql' | 'pins' | 'dataVersion'>,
  pinned: number | undefined,
  work: (sql: Sql, dataVersion: number) => Promise<T>,
): Promise<T> {
  if (pinned === undefined) return work(sql, await dataVersion())
  const pin = await pins.open(pinned)
  try {
    return await work(pin.store.sql, pinned)
  } finally {
    pin.release()
  }
}

/** Data filed later must not determine any row. */
function refuseLaterDates({ days }: Dataset, today: IsoDate, param: string, isAtSession: boolean): void {
  const last = isAtSession ? today : addDays(today, 1)
  const day = days[days.length - 1]
  if (day <= dayNumber(last)) return
  throw new Failure(
    'parameter_invalid',
    `panel has rows of ${isoDate(day)}. ${param} uses what was filed before each date${isAtSession ? ' or on it' : ''}, and filings after today (UTC) are not yet known: send dates up to ${last}.`,
    { param: 'panel' },
  )
}

/** @param what of the score the licence is needed for */
function licenceRequired(what: string, param: string, licence: string): Failure {
  return new Failure(
    'licence_required',
    `${what} takes what was known about each company on many dates. It requires an evaluation key or a Personal or Commercial data licence; this key has the quant plan with the ${licence} licence. Send rows with scores of your own instead${param === 'score.asOf' ? '' : ', and omit score'}.`,
    { param },
  )
}

function capReached(companies: number, cap: number): Failure {
  return new Failure(
    'entity_cap_reached',
    `The rows have ${companies.toLocaleString('en-US')} companies. Together with the companies that this key has already seen, they exceed its cap of ${cap.toLocaleString('en-US')} distinct companies. None of them was counted. A Personal or Commercial data licence covers all companies.`,
    { param: 'panel' },
  )
}

function noValues({ asOf: metric, group, universe }: MetricScore, maxAgeDays: number): Failure {
  const isFiltered = group !== undefined || universe !== undefined
  const chosen = isFiltered ? ', on a date on which it is in the group and the state that score chooses' : ''
  return new Failure(
    'backtest_impossible',
    `No asset of panel is a company with a figure of ${metric} that was filed before the row's date and is at most ${maxAgeDays} days old on it${chosen}. Send the IDs of companies as asset: GET /api/search?q= finds them.`,
    { param: 'score.asOf' },
  )
}

function noneChosen(param: string): Failure {
  return new Failure(
    'backtest_impossible',
    'No asset of panel is a company that is, on a date of its rows, in the group and the state that score chooses. Send the IDs of companies as asset: GET /api/search?q= finds them.',
    { param },
  )
}

function severalUnits(metric: string, units: readonly string[]): Failure {
  return new Failure(
    'backtest_impossible',
    `The figures of ${metric} are in ${[...units].sort().join(' and ')}, which cannot be ranked together. Send the rows of one currency, or a ratio as score.asOf.`,
    { param: 'score.asOf' },
  )
}
