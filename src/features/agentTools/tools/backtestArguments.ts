import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import {
  BacktestConfig,
  BacktestInclude,
  BacktestRequest,
  BacktestSource,
  BacktestSweep,
  PanelId,
} from '../../../backtest/request.ts'
import { BacktestEvidence } from '../../../backtest/requestEvidence.ts'
import { BacktestFactors } from '../../../backtest/requestFactors.ts'
import { maxTrialsAlreadyTried } from '../../../backtest/requestTrials.ts'
import { BacktestJobParams } from '../../backtests/submitted/schema.ts'
import { snakeCase } from '../arguments.ts'
import { sizeArgument } from '../fields.ts'

/** Scores of a caller's own columns, closes, calendars and limits on trading are for the API: their schemas would crowd
 * out other tools. */
const ToolConfig = Type.Omit(
  BacktestConfig,
  ['neutralise', 'rankBy', 'rebalance', 'entryDates', 'delistingReturn', 'horizons', 'trading'],
  { additionalProperties: false, $id: 'ToolBacktestConfig' },
)

/**
 * The body of a backtest as a tool's arguments, spelled like those of all tools and described in a few words.
 * The bounds are the API's, and so are the descriptions of fields that are not listed here.
 */
const meanings: Readonly<Record<string, string>> = {
  direction: 'Both legs, or the top one.',
  quantile: 'Share of the names in each leg.',
  weighting: 'Within a leg.',
  holdDays: 'Days held; a multiple of return_days, its default.',
  returnDays: 'Trading days of a return. Default: of the rows.',
  costBps: 'Flat round trip.',
  borrowBps: 'Cost of borrowing a year.',
  gross: 'Gross exposure.',
  neutral: 'Legs within each market.',
  drift: 'Turnover from drifted weights.',
  folds: 'Walk-forward blocks.',
  market: 'Code. Default: all.',
  horizon: 'Of the forecasts.',
  from: 'First day, YYYY-MM-DD.',
  to: 'Last day.',
  limit: 'Rows, the latest dates first.',
  score: 'Metric that ranks instead: its latest year filed before each date. Needs market.',
  maxAgeDays: 'With score: oldest figure.',
  checks: 'With score: proved, consistent, unchecked, contradicted.',
  seed: 'Of the resamples.',
  bootstraps: 'Resamples.',
  participation: 'Share of volume of a trade, for capacity.',
}

const factorsMeaning = 'Factor returns: date, returns by name, rf; or the text of a file. Result: factors.'

/** The same object with names spelled as the tools spell them. */
function spelled(schema: TObject, description: string) {
  const fields = Object.entries<TSchema>(schema.properties).map(([name, field]) => [
    snakeCase(name),
    { ...field, description: meanings[name] ?? field.description, examples: [] },
  ])
  const properties: Record<string, TSchema> = Object.fromEntries(fields)
  return Type.Optional(Type.Object(properties, { additionalProperties: false, description }))
}

const grid: Record<string, TSchema> = Object.fromEntries(
  Object.entries<TSchema>(BacktestSweep.properties).map(([name, field]) => [snakeCase(name), field]),
)
const sweepMeaning = `true: 48 usual configurations. Or lists of values to combine, at most 1,000: ${Object.keys(grid).join(', ')}.`

export const BacktestInput = Type.Object(
  {
    source: spelled(BacktestSource, 'Rows of the archive of forecasts.'),
    panel: Type.Optional(
      Type.String({ ...PanelId, description: 'Stored panel, instead of source.', examples: [] }),
    ),
    config: spelled(ToolConfig, 'The strategy.'),
    sweep: Type.Optional(
      Type.Union([Type.Boolean(), Type.Object(grid, { additionalProperties: false })], {
        description: sweepMeaning,
        shown: { type: ['boolean', 'object'], description: sweepMeaning },
      }),
    ),
    include: Type.Optional(
      Type.Array(BacktestInclude, {
        uniqueItems: true,
        maxItems: BacktestRequest.properties.include.maxItems ?? 12,
        description: 'Further sections.',
      }),
    ),
    // Lengths of blocks and groups have defaults that depend on the record, and are for the API.
    evidence: spelled(
      Type.Omit(BacktestEvidence, ['benchmark', 'meanBlock', 'groups', 'testGroups']),
      'How sections of include are computed.',
    ),
    benchmark: Type.Optional(
      Type.Union([Type.Literal('cash'), Type.Literal('universe')], {
        description: 'Of the verdict. Default: universe for long_only, cash for long_short.',
      }),
    ),
    factors: Type.Optional({ ...BacktestFactors, shown: { type: 'object', description: factorsMeaning } }),
    price_set: Type.Optional(Type.String({ description: 'Prices that give the returns.' })),
    trials_already_tried: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxTrialsAlreadyTried,
        description: 'Earlier tries.',
      }),
    ),
    data_version: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: 'Of an answer, to repeat it.',
      }),
    ),
    job_id: Type.Optional(
      Type.String({
        ...BacktestJobParams.properties.id,
        description: 'Waits for an earlier sweep, with wait_seconds and max_characters only.',
        examples: [],
      }),
    ),
    wait_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 600, default: 45, description: 'For a sweep.' }),
    ),
    ...sizeArgument,
  },
  { additionalProperties: false },
)
export type BacktestArgs = Static<typeof BacktestInput>

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const renamed = (value: object, rename: (name: string) => string): object =>
  Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name), item]))

/** The request body for the API. */
export function bodyOf({ source, config, sweep, evidence, ...rest }: Partial<BacktestArgs>): object {
  const { job_id: _, wait_seconds: __, max_characters: ___, price_set: set, ...same } = rest
  const objects = { source, config, sweep, evidence }
  const sent = Object.entries(objects).map(([name, value]) => [
    name,
    typeof value === 'object' ? renamed(value, camelCase) : value,
  ])
  const prices = set === undefined ? {} : { prices: { set } }
  return { ...same, ...prices, ...Object.fromEntries(sent.filter(([, value]) => value !== undefined)) }
}

/** A configuration's fields in a response, spelled as the next call takes them. */
export const asArguments = (settings: object): object => renamed(settings, snakeCase)
