import { addDays } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { type CarriedColumn, carriedColumns, refuseClashes } from '../asOf/carried/carriedColumn.ts'
import { type JoinBodyInput, readSentRows } from '../asOf/joinBody.ts'
import { checkRows, type ParsedRows } from '../asOf/rows.ts'
import { readRowTimes, setSymbolDays, timeColumn } from '../asOf/rowTimes.ts'
import { showValue } from '../codec/faults.ts'
import { type NumberCells, numberCells, requireNumberCells } from './numbers.ts'
import { AuditRequest, maxAuditedColumns } from './request.ts'
import { type AuditPlan, readAuditSettings } from './settings.ts'

export interface AuditBody {
  readonly rows: ParsedRows
  readonly plan: AuditPlan
  /** The columns of numbers that may be audited, in the order of the rows. */
  readonly columns: readonly NumberCells[]
  /** The column of returns, if there is one. */
  readonly returns: NumberCells | null
}

const auditFields = Object.keys(AuditRequest.properties)

/** The column of returns by default. */
const returnsColumn = 'forward_return'

/** Parses and validates the body of an audit. Fails with the position of the first fault. */
export async function readAuditBody(input: JoinBodyInput): Promise<AuditBody> {
  const { rows: sent, fields } = await readSentRows(input, auditFields)
  const plan = readAuditSettings(fields)
  const times = readRowTimes(sent.layout, input.today)
  const rows = { ...sent, times }
  if (times !== null) setSymbolDays(sent.day, times)
  if (times !== null && plan.inclusive) {
    throw new Failure(
      'parameter_invalid',
      'inclusive is for rows with dates. Rows with times are compared with what was public by then: omit inclusive.',
      { param: 'inclusive' },
    )
  }
  const lastDate = plan.inclusive ? input.today : addDays(input.today, 1)
  checkRows(rows, lastDate, plan.inclusive, row =>
    input.format === 'json' ? `rows.date[${row}]` : `the date of row ${row + 1}`,
  )
  const carried = carriedColumns(rows.layout).filter(({ name }) => name !== timeColumn || times === null)
  const returns = returnsOf(carried, plan)
  const columns = auditedColumns(carried, plan, returns?.name ?? null)
  refuseClashes(
    rows,
    columns.flatMap(({ name }) => addedColumns(name, plan)),
  )
  return { rows, plan, columns, returns }
}

/** The columns that an audit adds for a column. */
export const addedColumns = (name: string, { extras }: Pick<AuditPlan, 'extras'>): string[] =>
  ['state', 'known', 'days', ...extras].map(ending => `${name}_${ending}`)

function returnsOf(carried: readonly CarriedColumn[], { forwardReturn }: AuditPlan): NumberCells | null {
  const column = carried.find(({ name }) => name === (forwardReturn ?? returnsColumn))
  if (column !== undefined) return requireNumberCells(column)
  if (forwardReturn === null) return null
  throw new Failure(
    'parameter_invalid',
    `forward_return names the column ${showValue(forwardReturn)}, which the rows do not have.`,
    { param: 'forward_return' },
  )
}

function auditedColumns(
  carried: readonly CarriedColumn[],
  { columns: wanted }: AuditPlan,
  returns: string | null,
): NumberCells[] {
  const absent = [...(wanted?.keys() ?? [])].find(name => !carried.some(column => column.name === name))
  if (absent !== undefined) {
    const has = carried.map(({ name }) => name).slice(0, 20)
    throw new Failure(
      'parameter_invalid',
      `columns names ${showValue(absent)}, which the rows do not have.${has.length === 0 ? '' : ` They have ${has.join(', ')}.`}`,
      { param: 'columns' },
    )
  }
  const found = carried.flatMap((column): NumberCells[] => {
    if (column.name === returns) return []
    if (wanted?.has(column.name) === true) return [requireNumberCells(column)]
    const cells = wanted === null ? numberCells(column) : null
    return cells === null ? [] : [cells]
  })
  if (found.length === 0) {
    const [some] = carried.filter(({ name }) => name !== returns)
    // Names the value that makes it no column of numbers.
    if (some !== undefined) requireNumberCells(some)
    throw new Failure(
      'parameter_invalid',
      'The rows have no column of numbers to audit besides date and ticker. Send at least one, such as revenue.',
      { param: 'rows' },
    )
  }
  if (found.length > maxAuditedColumns) {
    throw new Failure(
      'parameter_invalid',
      `The rows have ${found.length} columns of numbers; an audit has at most ${maxAuditedColumns}. Name those to audit in columns.`,
      { param: 'columns' },
    )
  }
  return found
}
