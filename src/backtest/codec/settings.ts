import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import {
  type BacktestConfig,
  type BacktestInclude,
  BacktestRequest,
  type BacktestSource,
  type BacktestSweep,
  type BodyQuery,
} from '../request.ts'
import { describeFault } from './faults.ts'
import { type JsonObject, JsonReader } from './jsonReader.ts'

/** The fields of a request other than its rows, parsed and checked. */
export interface BacktestSettings {
  readonly config: BacktestConfig
  readonly include: readonly BacktestInclude[]
  /** Absent or false: one configuration. */
  readonly sweep?: boolean | BacktestSweep | undefined
}

/** A request for the archive. */
export interface ArchiveRequest extends BacktestSettings {
  readonly source: BacktestSource
}

/** A request for a stored panel. */
export interface StoredPanelRequest extends BacktestSettings {
  readonly panelId: string
}

const settingsSchema = Type.Omit(BacktestRequest, ['panel'], { additionalProperties: false })
const settingsCheck = TypeCompiler.Compile(settingsSchema)
export const settingNames = Object.keys(settingsSchema.properties)

/** The settings of a request with a panel, checked by the schema. */
export function checkSettings(fields: JsonObject): BacktestSettings {
  const { source, ...settings } = checkSchema(fields)
  if (source === null) return settings
  throw new Failure(
    'backtest_impossible',
    'source and panel are both given. Send one of them, or neither for the archive with defaults.',
    { param: 'panel' },
  )
}

/** The settings of a request without a panel: its rows are the archive's. */
export function checkArchiveRequest(fields: JsonObject): ArchiveRequest {
  const { source, ...settings } = checkSchema(fields)
  checkDateRange(source ?? {})
  checkScore(source ?? {})
  return { ...settings, source: source ?? {} }
}

function checkSchema(fields: JsonObject): BacktestSettings & { source: BacktestSource | null } {
  if (!settingsCheck.Check(fields)) {
    const fault = settingsCheck.Errors(fields).First()
    throw fault
      ? describeFault(fault, [], settingsSchema)
      : new Failure('body_invalid', 'The body does not fit the schema.')
  }
  const { config = {}, source = null, include = [], sweep } = fields
  return { config, include, source, sweep }
}

function checkDateRange({ from, to }: BacktestSource): void {
  if (!from || !to || from <= to) return
  throw new Failure('parameter_invalid', `source.from (${from}) is after source.to (${to}).`, {
    param: 'source.from',
  })
}

function checkScore({ score, market, maxAgeDays }: BacktestSource): void {
  if (score === undefined && maxAgeDays !== undefined) {
    throw new Failure(
      'parameter_invalid',
      `source.maxAgeDays is how old the figures of source.score may be, and there is no source.score. Send one, such as "roe", or leave maxAgeDays out.`,
      { param: 'source.maxAgeDays' },
    )
  }
  if (score !== undefined && market === undefined) {
    throw new Failure(
      'parameter_invalid',
      `source.score (${score}) ranks the companies of one market: registers define their figures each in its own way and currency. Send source.market, too.`,
      { param: 'source.market' },
    )
  }
}

const encoder = new TextEncoder()

/** The settings of a request whose body is CSV, unchecked. */
export function readQuerySettings({ config, include, sweep }: BodyQuery): JsonObject {
  return {
    ...(config === undefined ? {} : { config: readJsonText('config', config) }),
    ...(sweep === undefined ? {} : { sweep: readJsonText('sweep', sweep) }),
    ...(include === undefined ? {} : { include: include.split(',') }),
  }
}

function readJsonText(name: string, text: string) {
  const reader = new JsonReader(encoder.encode(text), `The query parameter ${name}`)
  reader.path.push(name)
  const value = reader.value()
  reader.skipSpace()
  if (reader.at < reader.bytes.length) reader.malformed('something follows the value')
  return value
}
