import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import { type CheckState, readChecks } from '../../markets/checkStates.ts'
import { type CompanyState, readStates } from '../../markets/companyStates.ts'
import type { GroupScheme } from '../../markets/industries.ts'
import { takesPrices } from '../../markets/strategies/pricedMetrics.ts'
import { describeFault } from '../codec/faults.ts'
import type { JsonObject } from '../codec/jsonReader.ts'
import type { AsOfPeriod } from '../figureScore.ts'
import { type JoinExtra, JoinSettings } from './request.ts'

/** What a join computes, with every default filled in. */
export interface JoinPlan {
  readonly metrics: readonly string[]
  readonly fp: AsOfPeriod
  readonly inclusive: boolean
  /** null: unlimited. */
  readonly maxAgeDays: number | null
  readonly extras: readonly JoinExtra[]
  /** null: no column. */
  readonly group: GroupScheme | null
  /** null: figures in all states, and no column. */
  readonly universe: readonly CompanyState[] | null
  /** States of figures; the others are null. null: all. */
  readonly checks: readonly CheckState[] | null
  /** Whether figures of a company's predecessors and successors are used as well. */
  readonly followsLineage: boolean
  /** The set of prices of valuations; null: the only one that the caller may see. */
  readonly prices: string | null
  /** null: the current one. */
  readonly dataVersion: number | null
}

const check = TypeCompiler.Compile(JoinSettings)

/** The settings of a join, validated by their schema. */
export function readJoinSettings(fields: JsonObject): JoinPlan {
  if (!check.Check(fields)) {
    const fault = check.Errors(fields).First()
    throw fault
      ? describeFault(fault, [], JoinSettings)
      : new Failure('body_invalid', 'The settings do not match the schema.')
  }
  const { metrics, fp = 'FY', inclusive = false, with: extras = [] } = fields
  const { max_age_days: maxAgeDays = null, data_version: dataVersion = null } = fields
  const followsLineage = fields.lineage === 'follow'
  const { group = null } = fields
  const universe = fields.universe === undefined ? null : readStates('universe', fields.universe)
  const checks = readChecks(fields.checks)
  if (checks !== null && followsLineage)
    throw new Failure(
      'parameter_invalid',
      'checks leaves out figures, and lineage=follow would fill the gaps with those of other registrants. Omit one of the two.',
      { param: 'checks' },
    )
  const { prices = null } = fields
  const plan = { metrics, fp, inclusive, maxAgeDays, extras, group, universe, checks, followsLineage }
  if (followsLineage) refuseValuations(metrics)
  return { ...plan, prices, dataVersion }
}

/** A security belongs to one registrant, whose count of shares its price must meet. */
function refuseValuations(metrics: readonly string[]): void {
  const at = metrics.findIndex(takesPrices)
  if (at === -1) return
  throw new Failure(
    'parameter_invalid',
    `metrics[${at}] is ${metrics[at]}, which takes the prices of the row's own registrant, and lineage=follow would take figures of others. Omit one of the two.`,
    { param: 'lineage' },
  )
}

/** The columns about companies that a join adds, before those of figures. */
export const companyColumns = ({ group, universe }: Pick<JoinPlan, 'group' | 'universe'>): string[] => [
  ...(group === null ? [] : ['group']),
  ...(universe === null ? [] : ['state']),
]

/** The columns of figures that a join adds to its rows, in order. */
export const answeredColumns = ({ metrics, extras }: Pick<JoinPlan, 'metrics' | 'extras'>): string[] =>
  metrics.flatMap(name => [name, ...extras.map(extra => `${name}_${extra}`)])
