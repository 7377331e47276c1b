import { factorRequest, readFactorFile } from '../../backtest/factors/factorFile.ts'
import type { BacktestSettings, SentPrices } from '../../backtest/panelFile/panelBody.ts'
import { reportSections } from '../../backtest/report/reportSections.ts'
import { type BacktestFactors, maxFactorFileLength } from '../../backtest/requestFactors.ts'
import { Failure } from '../../errors.ts'
import { type Horizon, horizons } from '../../horizons.ts'
import type { BodyReader, Sender } from '../../http/body.ts'
import type { RequestContext } from '../../http/context.ts'
import { type SubmittedFile, useFileForm } from '../../http/fileForm.ts'

/** The form's fields as typed. They are shown again together with an error. */
export const fieldNames = [
  'rows',
  'market',
  'horizon',
  'from',
  'to',
  'score',
  'maxAgeDays',
  'fileHorizon',
  'priceSet',
  'priceHorizon',
  'entryLag',
  'priceDelisting',
  'known',
  'direction',
  'quantile',
  'weighting',
  'holdDays',
  'returnDays',
  'costBps',
  'borrowBps',
  'gross',
  'neutral',
  'demean',
  'regress',
  'scores',
  'benchmark',
  'drift',
  'rebalance',
  'entryDates',
  'delistingReturn',
  'maxTurnover',
  'maxWeight',
  'targetVolatility',
  'maxLeverage',
  'impact',
  'capital',
  'folds',
  'run',
  'quantiles',
  'weightings',
  'holds',
  'trials_already_tried',
  'do',
] as const
export type FieldName = (typeof fieldNames)[number]
export type SubmittedForm = SubmittedFile<FieldName>
export type Typed = SubmittedForm['typed']

const fields = {
  names: fieldNames,
  maxLength: 400,
  textFiles: { names: ['factors'], maxLength: maxFactorFileLength },
}

/**
 * Passes the submitted form to `act`. Its bytes count towards the memory of all bodies until `act` ends.
 *
 * @param sender to whom the bytes are charged, if not to the visitor
 */
export const useForm = <T>(
  context: RequestContext,
  bodies: BodyReader,
  act: (form: SubmittedForm) => Promise<T>,
  sender?: Sender,
): Promise<T> => useFileForm(context, bodies, fields, act, sender)

const numbers = [
  'quantile',
  'holdDays',
  'returnDays',
  'costBps',
  'borrowBps',
  'gross',
  'folds',
  'entryDates',
  'delistingReturn',
] as const
const tradingNumbers = [
  'maxTurnover',
  'maxWeight',
  'targetVolatility',
  'maxLeverage',
  'impact',
  'capital',
] as const
const wordFields = ['direction', 'weighting', 'neutral', 'rebalance'] as const

/**
 * Turns the fields into a request's settings. The API's schema validates them; this function only rejects
 * what is not a number.
 */
export function settingsOf({ typed, texts }: Pick<SubmittedForm, 'typed' | 'texts'>): BacktestSettings {
  const config: Record<string, string | number | true | object> = {}
  const trading: Record<string, number> = {}
  for (const name of tradingNumbers)
    if (typed[name] !== undefined) trading[name] = numberOf(name, typed[name])
  if (Object.keys(trading).length > 0) config.trading = trading
  for (const name of wordFields) if (typed[name] !== undefined) config[name] = typed[name]
  for (const name of numbers) if (typed[name] !== undefined) config[name] = numberOf(name, typed[name])
  if (typed.drift !== undefined) config.drift = true
  const neutralise = {
    ...(typed.demean === undefined ? {} : { demean: list(typed.demean) }),
    ...(typed.regress === undefined ? {} : { columns: list(typed.regress) }),
  }
  if (Object.keys(neutralise).length > 0) config.neutralise = neutralise
  const scores = typed.scores === undefined ? undefined : list(typed.scores)
  const sweep = sweepOf(typed)
  const benchmark = benchmarkOf(typed)
  const prices = pricesOf(typed)
  const factors = texts.get('factors')
  // A grid lists its own values, so the same fields of the single configuration do not apply.
  if (sweep !== undefined)
    for (const axis of sweep === true ? defaultAxes : Object.keys(sweep)) delete config[axis]
  return {
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(sweep === undefined ? {} : { sweep }),
    ...(benchmark === undefined ? {} : { benchmark }),
    ...(prices === undefined ? {} : { prices }),
    ...(factors === undefined ? {} : { factors: factorsOf(factors) }),
    ...(typed.trials_already_tried === undefined
      ? {}
      : { trials_already_tried: numberOf('trials_already_tried', typed.trials_already_tried) }),
    ...(scores === undefined ? {} : { scores }),
    include: reportSections(sweep !== undefined || scores !== undefined),
  }
}

/** The columns of a file of factors, which take less memory than its text. */
function factorsOf(text: string): BacktestFactors {
  try {
    return factorRequest(readFactorFile(text, 'The file of factors'))
  } catch (cause) {
    throw cause instanceof Failure
      ? new Failure(cause.code, cause.message, { param: 'factors', cause })
      : cause
  }
}

function benchmarkOf({ benchmark }: Typed): 'cash' | 'universe' | undefined {
  if (benchmark === undefined || benchmark === 'cash' || benchmark === 'universe') return benchmark
  throw new Failure('parameter_invalid', 'The benchmark of the form is cash or universe.', {
    param: 'benchmark',
  })
}

const priceNumbers = { priceHorizon: 'horizon', entryLag: 'entry_lag', priceDelisting: 'delisting' } as const

/** The price set that gives the returns; undefined: the rows have their own. */
function pricesOf(typed: Typed): SentPrices | undefined {
  const { priceSet, known } = typed
  const numbers = (['priceHorizon', 'entryLag', 'priceDelisting'] as const).filter(
    name => typed[name] !== undefined,
  )
  if (priceSet === undefined) {
    const [name] = known === undefined ? numbers : ['known' as const]
    if (name === undefined) return undefined
    throw new Failure(
      'parameter_invalid',
      'Trading days, the close of entry, the delisting return and the known day belong to a price set. Choose one under Returns, or leave them empty.',
      { param: name },
    )
  }
  return {
    set: priceSet,
    ...Object.fromEntries(numbers.map(name => [priceNumbers[name], numberOf(name, typed[name] ?? '')])),
    ...(known === undefined ? {} : { known }),
  }
}

const defaultAxes = ['quantile', 'weighting', 'holdDays']

function sweepOf({ run, quantiles, weightings, holds }: Typed): BacktestSettings['sweep'] {
  if (run === 'sweep') return true
  if (run !== 'grid') return undefined
  const grid = {
    ...(quantiles === undefined
      ? {}
      : { quantile: list(quantiles).map(text => numberOf('quantiles', text)) }),
    ...(weightings === undefined ? {} : { weighting: list(weightings) }),
    ...(holds === undefined ? {} : { holdDays: list(holds).map(text => numberOf('holds', text)) }),
  }
  if (Object.keys(grid).length > 0) return grid
  throw new Failure(
    'parameter_invalid',
    'Your own grid is empty. Enter the values to try, separated by commas, or choose the default grid.',
    { param: 'quantiles' },
  )
}

const list = (text: string) =>
  text
    .split(/[\s,]+/)
    .filter(part => part !== '')
    .slice(0, 300)

function numberOf(name: FieldName, text: string): number {
  const value = Number(text)
  if (/^[-+.\d]/.test(text) && Number.isFinite(value)) return value
  throw new Failure(
    'parameter_invalid',
    `${name} is ${JSON.stringify(text.slice(0, 40))}, which is not a number.`,
    {
      param: name,
    },
  )
}

/** The archive rows that the form selects. */
export function sourceOf(typed: Typed): Record<string, string | number> {
  const source: Record<string, string | number> = {}
  for (const name of ['market', 'horizon', 'from', 'to', 'score'] as const)
    if (typed[name] !== undefined) source[name] = typed[name]
  if (typed.score !== undefined && typed.maxAgeDays !== undefined)
    source.maxAgeDays = numberOf('maxAgeDays', typed.maxAgeDays)
  return source
}

/** The horizon of a file of forecasts; undefined if the file has only one. */
export const fileHorizonOf = ({ fileHorizon }: Typed): Horizon | undefined =>
  horizons.find(horizon => horizon === fileHorizon)

/** The fields that set a nested field of a request. */
const fieldOf: Readonly<Record<string, string>> = {
  'config.neutralise.columns': 'config.regress',
  'config.neutralise.demean': 'config.demean',
  'prices.set': 'config.priceSet',
  'prices.horizon': 'config.priceHorizon',
  'prices.entry_lag': 'config.entryLag',
  'prices.delisting': 'config.priceDelisting',
  'prices.known': 'config.known',
}

/** An error in the page's words, and the field that it concerns. */
export function inFormWords({ message, details }: Failure): { text: string; field: string | null } {
  const [, name] =
    /^(?:config\.trading|config|source|sweep)\.(\w+)/.exec(
      fieldOf[details.param ?? ''] ?? details.param ?? '',
    ) ?? []
  const text = message
    .replace(/(?:for example )?--horizon (?:is (\w+), but it)?/g, (_, wanted?: string) =>
      wanted === undefined
        ? 'the field Horizon of the file: '
        : `The horizon ${wanted} was chosen, but the file `,
    )
    .replace(/\b(?:config\.trading|config|source|sweep|prices)\.(\w+)/g, '$1')
  return {
    text,
    field:
      name ??
      fieldNames.find(field => field === details.param) ??
      (details.param === 'factors' ? 'factors' : null),
  }
}
