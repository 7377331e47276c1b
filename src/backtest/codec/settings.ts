import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
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
import { type BacktestEvidence, evidenceSections, maxCpcvChoices } from '../requestEvidence.ts'
import { describeFault } from './faults.ts'
import { type JsonObject, JsonReader, valueLimitOf } from './jsonReader.ts'

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
  if (source === null) return settings
  throw sourceAndPanel('panel')
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
  return { ...settings, source: checkSource(source ?? {}) }
}

function scoreWithoutPanel(): Failure {
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

function checkSchema(fields: JsonObject): BacktestSettings & { source: BacktestSource | null } {
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
    data_version: dataVersion,
  } = fields
  if (evidence !== undefined) checkEvidence(evidence, include)
  return { config, include, source, sweep, evidence, benchmark, score, dataVersion }
}

function checkEvidence(
  { groups = 10, testGroups = 2 }: BacktestEvidence,
  include: readonly BacktestInclude[],
): void {
  const sections = [...evidenceSections, 'capacity'] as const
  if (!sections.some(section => include.includes(section))) {
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

function checkScore({ score, market, maxAgeDays }: BacktestSource): void {
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
  data_version,
}: BodyQuery): JsonObject {
  return {
    ...(config === undefined ? {} : { config: readJsonText('config', config) }),
    ...(sweep === undefined ? {} : { sweep: readJsonText('sweep', sweep) }),
    ...(include === undefined ? {} : { include: include.split(',') }),
    ...(evidence === undefined ? {} : { evidence: readJsonText('evidence', evidence) }),
    ...(benchmark === undefined ? {} : { benchmark: readBenchmark(benchmark) }),
    ...(score === undefined ? {} : { score: readJsonText('score', score) }),
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
