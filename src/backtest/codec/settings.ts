import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import type { ArchiveRequest } from '../pool/tasks.ts'
import { BacktestRequest, type BacktestSource, type BodyQuery } from '../request.ts'
import { describeFault } from './faults.ts'
import { type JsonObject, JsonReader } from './json.ts'

export type ArchiveSettings = ArchiveRequest
/** What a request says beside its rows. */
export type BacktestSettings = Omit<ArchiveSettings, 'source'>

const withSource = Type.Omit(BacktestRequest, ['panel'], { additionalProperties: false })
const withSourceCheck = TypeCompiler.Compile(withSource)
export const fieldNames = Object.keys(withSource.properties)

/** What stands beside a panel, checked by the schema. */
export function checkFields(fields: JsonObject): BacktestSettings {
  const { source, ...settings } = checkFieldsWithSource(fields)
  if (source === null) return settings
  throw new Failure(
    'backtest_impossible',
    'source and panel are both given. Send one of them, or neither for the archive with defaults.',
    { param: 'panel' },
  )
}

/** The same where there is no panel: the rows are the archive's. */
export function checkArchiveFields(fields: JsonObject): ArchiveSettings {
  const { source, ...settings } = checkFieldsWithSource(fields)
  checkSpan(source ?? {})
  checkScore(source ?? {})
  return { ...settings, source: source ?? {} }
}

function checkFieldsWithSource(fields: JsonObject): BacktestSettings & { source: BacktestSource | null } {
  if (!withSourceCheck.Check(fields)) {
    const fault = withSourceCheck.Errors(fields).First()
    throw fault
      ? describeFault(fault, [], withSource)
      : new Failure('body_invalid', 'The body does not fit the schema.')
  }
  const { config = {}, source = null, include = [], sweep } = fields
  return { config, include, source, sweep }
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

function checkSpan({ from, to }: BacktestSource): void {
  if (!from || !to || from <= to) return
  throw new Failure('parameter_invalid', `source.from (${from}) is after source.to (${to}).`, {
    param: 'source.from',
  })
}

const encoder = new TextEncoder()

/** The fields of a request whose body is CSV. */
export function readQueryFields({ config, include, sweep }: BodyQuery): JsonObject {
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
