import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import { readChecks } from '../../markets/checkStates.ts'
import { takesPrices } from '../../markets/strategies/pricedMetrics.ts'
import type { PanelScore } from '../figureScore.ts'
import {
  type BacktestConfig,
  type BacktestInclude,
  BacktestRequest,
  type BacktestSource,
  type BacktestSweep,
  type BodyQuery,
} from '../request.ts'
import type { BacktestBenchmark } from '../requestBenchmark.ts'
import type { BacktestCompare } from '../requestCompare.ts'
import { type BacktestEvidence, evidenceSections, maxCpcvChoices } from '../requestEvidence.ts'
import type { BacktestFactors } from '../requestFactors.ts'
import type { BacktestPrices } from '../requestPrices.ts'
import { describeFault } from './faults.ts'
import { type JsonObject, JsonReader, type JsonValue, valueLimitOf } from './jsonReader.ts'

/** The fields of a request other than its rows, parsed and validated. */
export interface BacktestSettings {
  readonly config: BacktestConfig
  readonly include: readonly BacktestInclude[]
  /** Sections of `include` that the caller did not request; the backtest page shows them. */
  readonly pageOnly?: readonly BacktestInclude[]
  /** Absent or false: a single configuration. */
  readonly sweep?: boolean | BacktestSweep | undefined
  /** How the evidence in `include` is computed. */
  readonly evidence?: BacktestEvidence | undefined
  /** The benchmark of the record; undefined: it depends on the direction. */
  readonly benchmark?: BacktestBenchmark | undefined
  /** The data version of the archive to run on; undefined: the current one. */
  readonly dataVersion?: number | undefined
  /** The metric that scores the caller's rows; undefined: the rows have scores of their own. */
  readonly score?: PanelScore | undefined
  /** The choices of vintages to compare; undefined: none. */
  readonly compare?: BacktestCompare | undefined
  /** The columns of a panel that are tried as scores; undefined: the score or `config.rankBy` ranks. */
  readonly scores?: readonly string[] | undefined
  /** Configurations that the caller tried before; undefined: none. */
  readonly trialsAlreadyTried?: number | undefined
  /** The factor returns that may explain the record; undefined: none. */
  readonly factors?: BacktestFactors | undefined
  /** The price set from which the returns are computed; undefined: the rows have returns of their own. */
  readonly prices?: BacktestPrices | undefined
  /** The stored panel that the rows come from. */
  readonly panelId?: string | null | undefined
}

/** A request that runs on the archive. */
export interface ArchiveRequest extends BacktestSettings {
  readonly source: BacktestSource
}

/** A request that runs on a stored panel. */
export interface StoredPanelRequest extends BacktestSettings {
  readonly panelId: string
}

const settingsSchema = Type.Omit(BacktestRequest, ['panel'], { additionalProperties: false })
const settingsCheck = TypeCompiler.Compile(settingsSchema)
export const settingNames = Object.keys(settingsSchema.properties)

/** The settings of a request with a panel, validated by the schema. */
export function checkSettings(fields: JsonObject): BacktestSettings {
  const { source, ...settings } = checkSchema(fields)
  if (source !== null) throw sourceAndPanel('panel')
  checkPanelScore(settings.score, 'score')
  if (settings.compare !== undefined) checkCompare(settings, settings.score?.asOf !== undefined)
  return settings
}

/** @param param the field of the request that contains the panel */
export function sourceAndPanel(param: string): Failure {
  return new Failure(
    'backtest_impossible',
    'source and panel are both given. Send one of them, or neither to use the archive with defaults.',
    { param },
  )
}

/** The settings of a request without a panel, which runs on the archive's rows. */
export function checkArchiveRequest(fields: JsonObject): ArchiveRequest {
  const { source, score, ...settings } = checkSchema(fields)
  if (score !== undefined) throw scoreWithoutPanel()
  const [own] = namedColumns(settings)
  if (own !== undefined) throw columnsWithoutPanel(own)
  if (settings.compare !== undefined) checkCompare(settings, source?.score !== undefined)
  return { ...settings, source: checkSource(source ?? {}) }
}

/** Refuses a score that says nothing, and what only figures have where none are named.
 *
 * @param path of the score in the body */
export function checkPanelScore(score: PanelScore | undefined, path: string): void {
  if (score === undefined || score.asOf !== undefined) return
  const { group, universe, asOf: _, ...ofFigures } = score
  const [name] = Object.keys(ofFigures)
  if (name !== undefined)
    throw new Failure(
      'parameter_invalid',
      `${path}.${name} is about the figures of ${path}.asOf, which is missing. Send ${path}.asOf, for example "roe", or omit ${name}.`,
      { param: `${path}.${name}` },
    )
  if (group !== undefined || universe !== undefined) return
  throw new Failure(
    'parameter_invalid',
    `${path} is empty. Send asOf to rank by a metric, group or universe for what filings say of names with scores of your own, or omit it.`,
    { param: path },
  )
}

/** Refuses a comparison of vintages where there is nothing to compare, or where it would not be exact. */
function checkCompare({ config, sweep, score }: BacktestSettings, hasMetric: boolean): void {
  if (!hasMetric) {
    throw new Failure(
      'parameter_invalid',
      'compare shows what other vintages of a metric would have earned, but the score of this request is not a metric. Send source.score or, with panel, score.asOf, or omit compare.',
      { param: 'compare' },
    )
  }
  if (sweep) {
    throw new Failure(
      'parameter_invalid',
      'compare and sweep are both given. compare runs one configuration: send it as config, or omit compare.',
      { param: 'compare' },
    )
  }
  if (!ranksByScore({ config })) {
    const [first] = config.rankBy?.columns ?? []
    throw new Failure(
      'parameter_invalid',
      `compare shows what other vintages of a metric would have earned, but config.rankBy ranks by ${first}, which has none: every choice would give the same result. Name score in config.rankBy.columns, or omit compare.`,
      { param: 'compare' },
    )
  }
  if (score?.at === undefined) return
  throw new Failure(
    'parameter_invalid',
    'compare tells filings apart by their days, but score.at counts them by the times at which they were public. Omit score.at or compare.',
    { param: 'compare' },
  )
}

/** What one backtest may have and a batch may not, each with the way to the same numbers. A batch deflates each result
 * for its size, so each of its backtests has to be one trial. */
const aloneOnly = {
  compare: 'is not for batches. Send the backtest to POST /api/v1/backtest by itself, or omit compare.',
  scores:
    'is not for batches, which count every configuration as one trial: scores would try several in one. Send a configuration for each column with config.rankBy, such as {"columns": ["value"]}, and one for each combination, or send scores to POST /api/v1/backtest by itself.',
  sweep:
    'is not for batches, which count every configuration as one trial. Send each configuration of the grid by itself, or send sweep to POST /api/v1/backtest.',
} as const

/** The error for a field that batches do not have; undefined: it is none of those that one backtest may have.
 *
 * @param path of the object in the body that has the field; empty: the body itself */
export function refusedInBatch(names: readonly string[], path = ''): Failure | undefined {
  for (const [name, why] of Object.entries(aloneOnly))
    if (names.includes(name)) {
      const param = `${path}${name}`
      return new Failure('parameter_unknown', `${param} ${why}`, { param })
    }
  return undefined
}

export function columnsWithoutPanel(column: string): Failure {
  return new Failure(
    'parameter_invalid',
    `The request names the column ${column}, but only rows of your own have such columns, and panel is missing. Send panel, or omit it.`,
    { param: 'panel' },
  )
}

export function scoreWithoutPanel(): Failure {
  return new Failure(
    'parameter_invalid',
    'score names the metric that scores rows of your own, but panel is missing. Send panel, or source.score to rank the archive by a metric.',
    { param: 'score' },
  )
}

/** A source that matches the schema, checked for mutually exclusive fields. */
export function checkSource(sent: BacktestSource): BacktestSource {
  const source = withMarketCode(sent)
  checkDateRange(source)
  checkScore(source)
  return source
}

/** The market in upper case, as in the archive. */
function withMarketCode({ market, ...source }: BacktestSource): BacktestSource {
  return market === undefined ? source : { ...source, market: market.toUpperCase() }
}

/**
 * Refuses several horizons, which would be several backtests.
 *
 * @param path of the prices in the body
 */
export function refuseHorizons(prices: JsonValue | undefined, path: string): void {
  if (typeof prices !== 'object' || prices === null || !('horizons' in prices)) return
  throw new Failure(
    'parameter_unknown',
    `${path}.horizons is not a field: a backtest has one horizon. Send it as ${path}.horizon, and a backtest for each of several, or ask POST /api/v1/prices/{set}/forward-returns, which takes several.`,
    { param: `${path}.horizons` },
  )
}

/**
 * Refuses returns over other days than the prices give, and what says how returns of another origin are computed.
 *
 * @param path of the configuration in the body
 */
export function checkPrices(config: BacktestConfig, prices: BacktestPrices | undefined, path: string): void {
  if (prices === undefined) return
  for (const name of ['rebalance', 'entryDates', 'delistingReturn', 'horizons'] as const) {
    if (config[name] === undefined) continue
    throw new Failure(
      'parameter_invalid',
      `prices and ${path}.${name} both say how returns are computed. Omit one of them.`,
      { param: `${path}.${name}` },
    )
  }
  const { returnDays } = config
  const { horizon } = prices
  if (horizon === undefined || returnDays === undefined || horizon === returnDays) return
  throw new Failure(
    'parameter_invalid',
    `${path}.returnDays is ${returnDays}, but the returns that prices give cover ${horizon} trading days, its horizon. Send one of them, or the same number.`,
    { param: `${path}.returnDays` },
  )
}

function checkSchema(fields: JsonObject): BacktestSettings & { source: BacktestSource | null } {
  refuseHorizons(fields.prices, 'prices')
  if (!settingsCheck.Check(fields)) {
    const fault = settingsCheck.Errors(fields).First()
    throw fault
      ? describeFault(fault, [], settingsSchema)
      : new Failure('body_invalid', 'The body does not match the schema.')
  }
  const {
    config = {},
    source = null,
    include = [],
    sweep,
    evidence,
    benchmark,
    score,
    compare,
    scores,
    trials_already_tried: trialsAlreadyTried,
    factors,
    prices,
    data_version: dataVersion,
  } = fields
  checkPrices(config, prices, 'config')
  checkColumns(config, scores, compare !== undefined)
  if (evidence !== undefined) checkEvidence(evidence, include, compare !== undefined)
  const columns = { scores, trialsAlreadyTried }
  return {
    config,
    include,
    source,
    sweep,
    evidence,
    benchmark,
    score,
    compare,
    factors,
    prices,
    ...columns,
    dataVersion,
  }
}

/** The columns of the caller's own that some settings name. */
export const namedColumns = ({
  config,
  scores = [],
}: Pick<BacktestSettings, 'config' | 'scores'>): string[] => [
  ...new Set([...(config.neutralise?.columns ?? []), ...(config.rankBy?.columns ?? []), ...scores]),
]

/** Whether the column `score` ranks the names, alone or with others. */
export const ranksByScore = ({
  config,
  scores = [],
}: Pick<BacktestSettings, 'config' | 'scores'>): boolean =>
  scores.length === 0 ? (config.rankBy?.columns.includes('score') ?? true) : scores.includes('score')

function checkColumns(
  config: BacktestConfig,
  scores: readonly string[] | undefined,
  hasCompare: boolean,
): void {
  checkRankBy(config, 'config')
  checkNames(scores ?? [], 'scores')
  if (scores === undefined) return
  if (config.rankBy !== undefined)
    throw new Failure(
      'parameter_invalid',
      'scores and config.rankBy are both given. scores tries each column and both combinations; config.rankBy runs one of them. Omit one.',
      { param: 'scores' },
    )
  if (hasCompare)
    throw new Failure(
      'parameter_invalid',
      'scores and compare are both given. compare runs one configuration by several vintages, and scores tries several. Send one of them as config.rankBy, or omit compare.',
      { param: 'compare' },
    )
}

const notScores = ['date', 'asset', 'market', 'group', 'forward_return']

/** Refuses columns that rank nothing, and the return, which nobody knows on its date. */
function checkNames(names: readonly string[], param: string): void {
  const wrong = names.find(name => notScores.includes(name))
  if (wrong === undefined) return
  const why = wrong === 'forward_return' ? 'which is not known on its date' : 'which has no numbers'
  throw new Failure('parameter_invalid', `${param} names ${wrong}, ${why}. Name other columns of panel.`, {
    param,
  })
}

/** Refuses a combination of one column, and several columns without a combination.
 *
 * @param path of the configuration in the body */
export function checkRankBy({ rankBy, neutralise }: BacktestConfig, path: string): void {
  if (neutralise !== undefined && neutralise.demean === undefined && neutralise.columns === undefined)
    throw new Failure(
      'parameter_invalid',
      `${path}.neutralise is empty. Send demean, columns or both, or omit it.`,
      { param: `${path}.neutralise` },
    )
  checkNames(neutralise?.columns ?? [], `${path}.neutralise.columns`)
  if (rankBy === undefined) return
  checkNames(rankBy.columns, `${path}.rankBy.columns`)
  const isSeveral = rankBy.columns.length > 1
  if (isSeveral === (rankBy.combine !== undefined)) return
  throw new Failure(
    'parameter_invalid',
    isSeveral
      ? `${path}.rankBy names ${rankBy.columns.length} columns, but not how to combine them. Send combine, rank_average or ic_weighted, or one column.`
      : `${path}.rankBy.combine needs several columns, and columns has one. Omit combine.`,
    { param: `${path}.rankBy.combine` },
  )
}

function checkEvidence(
  { groups = 10, testGroups = 2 }: BacktestEvidence,
  include: readonly BacktestInclude[],
  hasCompare: boolean,
): void {
  const sections = [...evidenceSections, 'capacity'] as const
  if (!hasCompare && !sections.some(section => include.includes(section))) {
    throw new Failure(
      'parameter_invalid',
      `evidence sets how some sections are computed, but include has none of them. Add ${sections.join(', ')} or some of these to include, or omit evidence.`,
      { param: 'evidence' },
    )
  }
  if (testGroups >= groups) {
    throw new Failure(
      'parameter_invalid',
      `evidence.testGroups is ${testGroups} of ${groups} groups, which leaves none to train on. Send at most ${groups - 1}.`,
      { param: 'evidence.testGroups' },
    )
  }
  const choices = countChoices(groups, testGroups)
  if (choices <= maxCpcvChoices) return
  throw new Failure(
    'parameter_invalid',
    `${testGroups} of ${groups} groups can be chosen in ${choices.toLocaleString('en')} ways; the limit is ${maxCpcvChoices.toLocaleString('en')}. Send fewer evidence.groups or evidence.testGroups.`,
    { param: 'evidence.testGroups' },
  )
}

/** Binomial coefficient. Every intermediate product is divisible, so no fraction arises. */
function countChoices(n: number, k: number): number {
  let count = 1
  for (let i = 1; i <= k; i++) count = (count * (n - k + i)) / i
  return count
}

function checkDateRange({ from, to }: BacktestSource): void {
  if (!from || !to || from <= to) return
  throw new Failure('parameter_invalid', `source.from (${from}) is after source.to (${to}). Swap them.`, {
    param: 'source.from',
  })
}

function checkScore({ score, market, maxAgeDays, checks, prices }: BacktestSource): void {
  readChecks(checks, 'source.checks')
  if (prices !== undefined && (score === undefined || !takesPrices(score)))
    throw new Failure(
      'parameter_invalid',
      `source.prices names the set of prices of a valuation, but source.score is ${score ?? 'missing'}. Send a valuation such as "price_to_book" as source.score, or omit prices.`,
      { param: 'source.prices' },
    )
  if (score === undefined && checks !== undefined) {
    throw new Failure(
      'parameter_invalid',
      'source.checks leaves out figures of source.score, but source.score is missing. Send it, for example "roe", or omit checks.',
      { param: 'source.checks' },
    )
  }
  if (score === undefined && maxAgeDays !== undefined) {
    throw new Failure(
      'parameter_invalid',
      `source.maxAgeDays limits the age of the figures of source.score, but source.score is missing. Send it, for example "roe", or omit maxAgeDays.`,
      { param: 'source.maxAgeDays' },
    )
  }
  if (score !== undefined && market === undefined) {
    throw new Failure(
      'parameter_invalid',
      `source.score (${score}) ranks the companies of one market, because each register defines figures in its own way and currency. Send source.market as well.`,
      { param: 'source.market' },
    )
  }
}

const encoder = new TextEncoder()

/** The settings of a request with a CSV body, not yet validated. */
export function readQuerySettings({
  config,
  include,
  sweep,
  evidence,
  benchmark,
  score,
  compare,
  scores,
  trials_already_tried,
  factors,
  prices,
  data_version,
}: BodyQuery): JsonObject {
  return {
    ...(config === undefined ? {} : { config: readJsonText('config', config) }),
    ...(sweep === undefined ? {} : { sweep: readJsonText('sweep', sweep) }),
    ...(include === undefined ? {} : { include: include.split(',') }),
    ...(evidence === undefined ? {} : { evidence: readJsonText('evidence', evidence) }),
    ...(benchmark === undefined ? {} : { benchmark: readBenchmark(benchmark) }),
    ...(score === undefined ? {} : { score: readJsonText('score', score) }),
    ...(compare === undefined ? {} : { compare: compare.split(',') }),
    ...(scores === undefined ? {} : { scores: scores.split(',') }),
    ...(trials_already_tried === undefined ? {} : { trials_already_tried }),
    ...(factors === undefined ? {} : { factors: readJsonText('factors', factors) }),
    ...(prices === undefined ? {} : { prices: readJsonText('prices', prices) }),
    ...(data_version === undefined ? {} : { data_version }),
  }
}

/** The name of a benchmark needs no quotes. */
const readBenchmark = (text: string) => (/^\s*[[{"]/.test(text) ? readJsonText('benchmark', text) : text)

function readJsonText(name: string, text: string) {
  const reader = new JsonReader(encoder.encode(text), `The query parameter ${name}`)
  reader.path.push(name)
  const value = reader.value(valueLimitOf(name))
  reader.skipSpace()
  if (reader.at < reader.bytes.length) reader.malformed('text follows the value')
  return value
}
