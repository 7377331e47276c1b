import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import { BacktestBatchItem, BacktestBatchRequest, maxBatchItems } from '../batchRequest.ts'
import type { PanelScore } from '../figureScore.ts'
import { BacktestConfig, type BacktestInclude, type BacktestSource } from '../request.ts'
import type { BacktestBenchmark } from '../requestBenchmark.ts'
import type { BacktestFactors } from '../requestFactors.ts'
import type { BacktestPrices } from '../requestPrices.ts'
import { openJson, readFields, refuseUnnamed, requireReturns, requireScores } from './body.ts'
import { describeFault } from './faults.ts'
import { type JsonObject, type JsonReader, type JsonValue, valueLimitOf } from './jsonReader.ts'
import type { ParsedPanel } from './panelBuilder.ts'
import {
  checkPanelScore,
  checkPrices,
  checkRankBy,
  checkSource,
  columnsWithoutPanel,
  namedColumns,
  ranksByScore,
  refusedInBatch,
  refuseHorizons,
  scoreWithoutPanel,
  sourceAndPanel,
} from './settings.ts'

/** One backtest of a batch, validated as far as the body alone allows. */
export interface BatchItem {
  readonly config: BacktestConfig
  readonly include: readonly BacktestInclude[]
  /** The benchmark of the record; undefined: it depends on the direction. */
  readonly benchmark: BacktestBenchmark | undefined
  /** The factor returns that may explain the record; undefined: none. */
  readonly factors: BacktestFactors | undefined
  /** The price set from which the returns are computed; undefined: the rows have returns of their own. */
  readonly prices: BacktestPrices | undefined
  /** The metric that scores the rows of a panel; undefined: they have scores of their own. */
  readonly score: PanelScore | undefined
  readonly rows: BatchRows
  /** The path of its config in the body: `configs[3]` or `items[3].config`. */
  readonly configPath: string
  readonly panelPath: string
}

/** `sent`: the rows in the body of the batch itself. */
export type BatchRows =
  | { readonly kind: 'sent' }
  | { readonly kind: 'stored'; readonly panelId: string }
  | { readonly kind: 'archive'; readonly source: BacktestSource }

export interface ParsedBatch {
  readonly items: readonly BatchItem[]
  /** The rows in the body; null if it has none. */
  readonly panel: ParsedPanel | null
  /** True if the body names one panel or source for all items. */
  readonly sharesRows: boolean
  /** The data version of the archive for all items; undefined: the current one. */
  readonly dataVersion: number | undefined
  /** Configurations that the caller tried before, for all items together. */
  readonly trialsAlreadyTried: number | undefined
}

const fieldNames = Object.keys(BacktestBatchRequest.properties)
const listNames = ['configs', 'items']

/** Parses and validates the body of a batch. Fails with the position of the first fault, before anything
 * runs. */
export function readBatchBody(bytes: Uint8Array): ParsedBatch {
  const reader = openJson(bytes, 'Send {"configs": [...], "panel": ...} or {"items": [...]}.')
  const { fields, panel } = readBatchFields(reader)
  if ('configs' in fields === 'items' in fields) throw oneList('items' in fields)
  return 'items' in fields ? readItems(fields, panel) : readConfigs(fields, panel)
}

function readBatchFields(reader: JsonReader): ReturnType<typeof readFields> {
  try {
    return readFields(reader, fieldNames, (at, key) =>
      listNames.includes(key) ? readList(at, key) : at.value(valueLimitOf(key)),
    )
  } catch (error) {
    const param = error instanceof Failure ? error.details.param : undefined
    throw (param === undefined ? undefined : refusedInBatch([param])) ?? error
  }
}

/** Reads element by element: a single value may contain only a few thousand values, and a list of
 * configurations has more. */
function readList(reader: JsonReader, name: string): JsonValue {
  reader.skipSpace()
  if (reader.bytes[reader.at] !== 0x5b) return reader.value()
  reader.expect(0x5b)
  const list: JsonValue[] = []
  if (reader.take(0x5d)) throw listLength(name, 'is empty', 'Send at least one.')
  do {
    if (list.length === maxBatchItems) throw listLength(name, 'has more', 'Send the others in another batch.')
    reader.path.push(list.length)
    list.push(reader.value())
    reader.path.pop()
  } while (reader.take(0x2c))
  reader.expect(0x5d)
  return list
}

const SharedFields = Type.Omit(BacktestBatchRequest, ['panel', 'items', 'configs'], {
  additionalProperties: false,
})
const checks = {
  shared: TypeCompiler.Compile(SharedFields),
  config: TypeCompiler.Compile(BacktestConfig),
  item: TypeCompiler.Compile(BacktestBatchItem),
}

function readConfigs({ configs, ...others }: JsonObject, panel: ParsedPanel | string | null): ParsedBatch {
  refuseHorizons(others.prices, 'prices')
  const shared = checked(checks.shared, SharedFields, others, [])
  const { source, include = [], benchmark, factors, prices, score, data_version: dataVersion } = shared
  const { trials_already_tried: trialsAlreadyTried } = shared
  if (panel !== null && source !== undefined) throw sourceAndPanel('panel')
  if (panel === null && score !== undefined) throw scoreWithoutPanel()
  checkPanelScore(score, 'score')
  const rows: BatchRows =
    panel === null
      ? { kind: 'archive', source: checkSource(source ?? {}) }
      : typeof panel === 'string'
        ? { kind: 'stored', panelId: panel }
        : { kind: 'sent' }
  const items = elementsOf('configs', configs).map((value, i) => {
    const config = checked(checks.config, BacktestConfig, value, ['configs', i])
    checkRankBy(config, `configs[${i}]`)
    checkPrices(config, prices, `configs[${i}]`)
    const [own] = namedColumns({ config })
    if (panel === null && own !== undefined) throw columnsWithoutPanel(own)
    const paths = { configPath: `configs[${i}]`, panelPath: 'panel' }
    return { config, include, benchmark, factors, prices, score, rows, ...paths }
  })
  const sent = typeof panel === 'string' || panel === null ? null : panel
  if (sent !== null) {
    const settings = items.map(({ config }) => ({ config, include: [] }))
    if (score?.asOf === undefined && settings.some(ranksByScore)) requireScores(sent)
    if (prices === undefined) requireReturns(sent)
    refuseUnnamed(sent, settings.flatMap(namedColumns))
  }
  return { items, panel: sent, sharesRows: true, dataVersion, trialsAlreadyTried }
}

function readItems(
  { items, data_version, trials_already_tried, ...others }: JsonObject,
  panel: ParsedPanel | string | null,
): ParsedBatch {
  const misplaced = panel === null ? Object.keys(others)[0] : 'panel'
  if (misplaced !== undefined) {
    throw new Failure(
      'parameter_invalid',
      `${misplaced} applies to configs, but items is sent. Put ${misplaced} into each item.`,
      { param: misplaced },
    )
  }
  const sent: JsonObject = {
    ...(data_version === undefined ? {} : { data_version }),
    ...(trials_already_tried === undefined ? {} : { trials_already_tried }),
  }
  const shared = checked(checks.shared, SharedFields, sent, [])
  return {
    panel: null,
    sharesRows: false,
    dataVersion: shared.data_version,
    trialsAlreadyTried: shared.trials_already_tried,
    items: elementsOf('items', items).map((value, i) => {
      const path = `items[${i}]`
      const refused = isObject(value) ? refusedInBatch(Object.keys(value), `${path}.`) : undefined
      if (refused !== undefined) throw refused
      if (isObject(value)) refuseHorizons(value.prices, `${path}.prices`)
      const item = checked(checks.item, BacktestBatchItem, value, ['items', i])
      const { config = {}, include = [], benchmark, factors, prices, score } = item
      checkRankBy(config, `${path}.config`)
      checkPrices(config, prices, `${path}.config`)
      const [own] = namedColumns({ config })
      if (item.panel === undefined && own !== undefined) throw atFault(path, columnsWithoutPanel(own))
      if (item.panel === undefined && score !== undefined) throw atFault(path, scoreWithoutPanel())
      checkPanelScore(score, `${path}.score`)
      return {
        config,
        include,
        benchmark,
        factors,
        prices,
        score,
        rows: rowsOf(item, path),
        configPath: `${path}.config`,
        panelPath: `${path}.panel`,
      }
    }),
  }
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function rowsOf({ panel, source }: BacktestBatchItem, path: string): BatchRows {
  if (panel === undefined) return { kind: 'archive', source: atPlace(path, () => checkSource(source ?? {})) }
  if (source !== undefined) throw atFault(path, sourceAndPanel('panel'))
  return { kind: 'stored', panelId: panel }
}

/** Adds the item's path to a failure, which would otherwise name a field that every item has. */
function atPlace<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Failure ? atFault(path, error) : error
  }
}

function atFault(path: string, { code, message, details }: Failure): Failure {
  const param = details.param === undefined ? path : `${path}.${details.param}`
  return new Failure(code, `${path}: ${message}`, { ...details, param })
}

function elementsOf(name: string, value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value
  throw listLength(name, 'is not an array', 'Put it into one.')
}

function checked<S extends TSchema>(
  check: {
    Check(value: unknown): value is Static<S>
    Errors: ReturnType<typeof TypeCompiler.Compile<S>>['Errors']
  },
  schema: S,
  value: JsonValue,
  path: readonly (string | number)[],
): Static<S> {
  if (check.Check(value)) return value
  const fault = check.Errors(value).First()
  throw fault
    ? describeFault(fault, path, schema)
    : new Failure('body_invalid', 'The body does not match the schema.')
}

function listLength(name: string, found: string, mend: string): Failure {
  return new Failure(
    'parameter_invalid',
    `${name} ${found}; it must be an array of 1 to ${maxBatchItems} items. ${mend}`,
    { param: name },
  )
}

function oneList(both: boolean): Failure {
  const found = both ? 'configs and items are both given' : 'Neither configs nor items is given'
  return new Failure(
    'parameter_invalid',
    `${found}. Send configs, a list of configurations for one panel or source, or items, a list of backtests with a panel or source each.`,
    { param: both ? 'items' : 'configs' },
  )
}
