import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import { describeFault } from '../codec/faults.ts'
import type { JsonObject } from '../codec/jsonReader.ts'
import type { BacktestConfig } from '../request.ts'
import { type AuditColumnSettings, type AuditExtra, AuditSettings } from './request.ts'

/** What an audit is to do, with every default filled in. */
export interface AuditPlan {
  /** The columns that the request names, and how they are to be read; null: all columns of numbers. */
  readonly columns: ReadonlyMap<string, AuditColumnSettings> | null
  readonly inclusive: boolean
  /** null: unlimited. */
  readonly maxAgeDays: number | null
  readonly extras: readonly AuditExtra[]
  /** The column of returns; null: `forward_return` if there is one. */
  readonly forwardReturn: string | null
  /** The backtest of the look-ahead premium. */
  readonly config: BacktestConfig
  /** null: the current one. */
  readonly dataVersion: number | null
}

const check = TypeCompiler.Compile(AuditSettings)

/** The settings of an audit, validated by their schema. */
export function readAuditSettings(fields: JsonObject): AuditPlan {
  if (!check.Check(fields)) {
    const fault = check.Errors(fields).First()
    throw fault
      ? describeFault(fault, [], AuditSettings)
      : new Failure('body_invalid', 'The settings do not match the schema.')
  }
  const { columns, inclusive = false, with: extras = [] } = fields
  const { max_age_days: maxAgeDays = null, data_version: dataVersion = null } = fields
  return {
    columns: columns === undefined ? null : new Map(Object.entries(columns).map(readColumn)),
    inclusive,
    maxAgeDays,
    extras,
    forwardReturn: fields.forward_return ?? null,
    config: fields.config ?? {},
    dataVersion,
  }
}

function readColumn([name, sent]: [string, string | AuditColumnSettings]): [string, AuditColumnSettings] {
  if (typeof sent === 'string') return [name, sent.includes(':') ? { tag: sent } : { metric: sent }]
  const kinds = [sent.metric, sent.tag, sent.line].filter(kind => kind !== undefined)
  if (kinds.length <= 1) return [name, sent]
  throw new Failure(
    'parameter_invalid',
    `columns.${name} names a metric, a tag and a line, or two of them. Send one.`,
    { param: `columns.${name}` },
  )
}
