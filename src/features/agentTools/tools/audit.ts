import { type Static, Type } from '@sinclair/typebox'
import { AuditColumnSettings, maxAuditedColumns } from '../../../backtest/audit/request.ts'
import { AuditedColumn, WorstCell } from '../../../backtest/audit/result.ts'
import { StateCounts } from '../../../backtest/audit/states.ts'
import { AuditHead } from '../../audits/schema.ts'
import { read } from '../api.ts'
import { leftOutField, originFields, sizeArgument, versionArgument } from '../fields.ts'
import { sizeOf } from '../pagination.ts'
import { shownAs } from '../schemas.ts'
import { defineTool } from '../tool.ts'
import { given } from './figures.ts'

const maxRows = 1_000
const columnsMeaning =
  'Metrics: {"sales":"revenue"}, or objects of metric or tag, fp, scale, sign, splits, currency. Default: found from names and values.'

const Input = Type.Object(
  {
    rows: Type.Record(
      Type.String({ minLength: 1, maxLength: 128 }),
      Type.Array(Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Null()]), {
        maxItems: maxRows,
      }),
      {
        maxProperties: maxAuditedColumns + 3,
        description: `Columns of up to ${maxRows.toLocaleString('en')} values: date (or time), ticker, and your figures.`,
        examples: [{ date: ['2009-10-28'], ticker: ['AAPL'], revenue: [42905] }],
        shown: {
          type: 'object',
          description: `Columns of up to ${maxRows.toLocaleString('en')} values: {"date":["2009-10-28"],"ticker":["AAPL"],"revenue":[42905]}`,
        },
      },
    ),
    columns: Type.Optional(
      Type.Record(
        Type.String({ minLength: 1, maxLength: 128 }),
        Type.Union([Type.String({ minLength: 1, maxLength: 64 }), AuditColumnSettings]),
        {
          maxProperties: maxAuditedColumns,
          description: columnsMeaning,
          shown: { type: 'object', description: columnsMeaning },
        },
      ),
    ),
    inclusive: Type.Optional(Type.Boolean({ description: 'Filed on the date itself counts.' })),
    ...versionArgument,
    ...sizeArgument,
  },
  { additionalProperties: false },
)

const counts = Type.Partial(StateCounts)
const reading = AuditedColumn.properties.reading.properties
const Column = Type.Object({
  name: Type.String(),
  metric: Type.Optional(reading.metric),
  tag: Type.Optional(reading.tag),
  line: Type.Optional(reading.line),
  recognised: reading.recognised,
  fp: reading.fp,
  scale: reading.scale,
  sign: reading.sign,
  splits: reading.splits,
  matched_share: reading.matched_share,
  counts,
  reasons: Type.Optional(AuditedColumn.properties.reasons),
})
type Column = Static<typeof Column>

const Answer = Type.Object({
  data_version: originFields.data_version,
  licence: originFields.licence,
  attribution: originFields.attribution,
  counts: shownAs(counts, 'object', 'Cells by state.'),
  columns: shownAs(Type.Array(Column), 'array', 'Readings (matched_share: how sure), counts.'),
  ...leftOutField,
  worst: shownAs(
    Type.Array(WorstCell),
    'array',
    'Cells furthest ahead: row (from 1), value, known, state, days, filing, ...',
  ),
})
type Answer = Static<typeof Answer>

const ReadAudit = Type.Object({
  known: AuditHead.properties.known,
  data_version: AuditHead.properties.data_version,
  licence: AuditHead.properties.licence,
  attribution: AuditHead.properties.attribution,
  counts: StateCounts,
  columns: Type.Array(Type.Object(AuditedColumn.properties)),
  ignored: AuditHead.properties.ignored,
  unknown: AuditHead.properties.unknown,
  worst: Type.Array(Type.Object(WorstCell.properties)),
})

export const auditRows = defineTool({
  name: 'audit_rows',
  title: 'Look-ahead in your own rows',
  description:
    'Could each of your values have been known on the date of its row? It is known, rounded, announced (in an earnings release), stale, restated (later), early (filed later), other_company, no_match or not_covered.',
  input: Input,
  output: Answer,
  run: async ({ max_characters, ...body }, call) => {
    const found = await read(call, ReadAudit, { method: 'POST', path: '/api/v1/audits', body })
    return fitAudit(found, sizeOf({ max_characters }))
  },
})

const envelopeCharacters = 500
const maxNamed = 20
const maxNamedCharacters = 300

/** As many columns and then cells as fit, as data and as lines of text. */
function fitAudit(found: Static<typeof ReadAudit>, maxCharacters: number) {
  const { known, data_version, licence, attribution } = found
  const head = {
    data_version,
    ...given({ licence }),
    attribution,
    counts: cellsOf(found.counts),
  }
  const title = `Known is what was ${known}. ${inWords(found.counts)}.`
  const missing = [
    ...named('Columns that neither names nor values explain (name them in columns)', found.ignored),
    ...named('Unknown tickers', found.unknown),
  ]
  // Notes are in the data and in the text.
  const noteLength = 2 * missing.join(' ').length
  let room = maxCharacters - envelopeCharacters - noteLength - JSON.stringify(head).length - title.length
  const lines: string[] = []
  const fit = <T>(values: readonly T[], lineOf: (value: T) => string): T[] => {
    const shown: T[] = []
    for (const value of values) {
      const line = lineOf(value)
      room -= JSON.stringify(value).length + JSON.stringify(line).length + 1
      if (room < 0) break
      shown.push(value)
      lines.push(line)
    }
    return shown
  }
  const columns = fit(found.columns.map(shortColumn), columnLine)
  const worst = fit(found.worst, cellLine)
  const cut = [
    ...(columns.length < found.columns.length
      ? [`${columns.length} of ${found.columns.length} columns`]
      : []),
    ...(worst.length < found.worst.length
      ? [`${worst.length} of the ${found.worst.length} worst cells`]
      : []),
  ]
  const advice =
    cut.length === 0
      ? []
      : [`Shown: ${cut.join(', ')}. Send fewer rows or columns, or a larger max_characters.`]
  const notes = [...missing, ...advice].join(' ')
  const structured: Answer = { ...head, columns, ...(notes === '' ? {} : { left_out: notes }), worst }
  return { structured, text: [title, ...lines, ...(notes === '' ? [] : [notes])].join('\n') }
}

const named = (what: string, names: readonly string[]): string[] =>
  names.length === 0
    ? []
    : [
        `${what}: ${names.slice(0, maxNamed).join(', ').slice(0, maxNamedCharacters)}${names.length > maxNamed ? ', ...' : ''}.`,
      ]

/** The states that cells have. */
const cellsOf = (counts: StateCounts): Partial<StateCounts> =>
  Object.fromEntries(Object.entries(counts).filter(([, cells]) => cells > 0))

const inWords = (counts: Partial<StateCounts>): string =>
  Object.entries(counts)
    .filter(([, cells]) => cells > 0)
    .map(([state, cells]) => `${cells} ${state}`)
    .join(', ')

function shortColumn({
  name,
  reading,
  counts,
  reasons,
}: Static<typeof ReadAudit>['columns'][number]): Column {
  const { metric, tag, line, recognised, fp, scale, sign, splits, matched_share } = reading
  return {
    name,
    ...given({ metric, tag, line }),
    recognised,
    fp,
    scale,
    sign,
    splits,
    matched_share,
    counts: cellsOf(counts),
    ...(Object.keys(reasons).length === 0 ? {} : { reasons }),
  }
}

function columnLine({ name, metric, tag, line, fp, scale, sign, matched_share, counts }: Column): string {
  const signed = sign === -1 ? ', opposite sign' : ''
  return `${name} read as ${metric ?? tag ?? line}, ${fp}, scale ${scale}${signed} (${Math.round(100 * matched_share)}% match): ${inWords(counts)}`
}

function cellLine(cell: WorstCell): string {
  const { row, date, ticker, column, value, known, state, days, filed, filing } = cell
  const lag = days === null ? '' : `, ${days} days`
  return `Row ${row}, ${date} ${ticker} ${column} ${value}: ${state}${lag}; filed ${filed} (${filing}); known was ${known ?? 'nothing'}`
}
