import { gunzipSync, gzipSync } from 'node:zlib'
import { dayNumber, isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { type StatedFiling, wholeSources } from '../../wholeFilings/statedFiling.ts'
import {
  type FigureContext,
  type ReportedFigure,
  type Statement,
  type StatementLine,
  type Sum,
  statementKinds,
} from '../../wholeFilings/wholeFiling.ts'

/* `filings.jsonl.gz`: a whole filing a line. Contexts are written once and referred to by their positions. The
 * accession's rows in `fundamentals.csv.gz` say when it was filed. */

/** Days are days since 1970-01-01; dimensions are pairs of axis and member. */
type SampleContext = readonly [
  start: number | null,
  end: number,
  quarters: number | null,
  dimensions: readonly (readonly [axis: string, member: string])[],
]

/** Exact figures have the decimals `INF`. */
type SampleFigure = readonly [
  concept: string,
  context: number,
  unit: string,
  decimals: number | 'INF' | null,
  value: string | null,
]

type SampleLine = readonly [
  order: number,
  concept: string,
  depth: number | null,
  label: string | null,
  labelRole: string | null,
  negated: 0 | 1,
]

interface SampleFiling {
  readonly market: string
  readonly issuer_id: string
  readonly accession: string
  readonly source: string
  readonly period_end: string | null
  readonly taxonomies: readonly (readonly [string, string])[]
  readonly default_members: readonly (readonly [string, string])[]
  readonly contexts: readonly SampleContext[]
  readonly figures: readonly SampleFigure[]
  readonly statements: readonly (Omit<Statement, 'lines'> & { readonly lines: readonly SampleLine[] })[]
  readonly sums: readonly Sum[]
}

/** The chosen filings, in order of their accessions. Throws a Failure if one of them is not among `stated`. */
export function writeSampleFilings(
  stated: readonly StatedFiling[],
  accessions: readonly string[],
): Uint8Array {
  const byAccession = new Map<string, StatedFiling>()
  for (const filing of stated) {
    const known = byAccession.get(filing.whole.accession)
    if (known === undefined || rankOf(known) < rankOf(filing)) byAccession.set(filing.whole.accession, filing)
  }
  const lines = [...accessions].sort().map(accession => {
    const filing = byAccession.get(accession)
    if (filing === undefined)
      throw new Failure(
        'parameter_invalid',
        `The files do not contain the filing ${accession}. Add its file.`,
        {
          param: 'filings',
        },
      )
    return `${JSON.stringify(sampleFiling(filing))}\n`
  })
  const zipped = gzipSync(lines.join(''), { level: 9 })
  // The byte that names the operating system would make the file depend on where it was made.
  zipped[9] = 255
  return zipped
}

const rankOf = ({ source }: StatedFiling) => wholeSources.indexOf(source)

function sampleFiling({ market, issuerId, whole, source, periodEnd }: StatedFiling): SampleFiling {
  const contexts = new Map<FigureContext, number>()
  for (const { context } of whole.figures) if (!contexts.has(context)) contexts.set(context, contexts.size)
  return {
    market,
    issuer_id: issuerId,
    accession: whole.accession,
    source,
    period_end: periodEnd === null ? null : isoDate(periodEnd),
    taxonomies: [...whole.taxonomies],
    default_members: [...whole.defaultMembers],
    contexts: [...contexts.keys()].map(({ start, end, quarters, dimensions }) => [
      start,
      end,
      quarters,
      dimensions.map(({ axis, member }) => [axis, member] as const),
    ]),
    figures: whole.figures.map(({ concept, context, unit, decimals, value }) => [
      concept,
      contexts.get(context) ?? 0,
      unit,
      decimals === Number.POSITIVE_INFINITY ? 'INF' : decimals,
      value,
    ]),
    statements: whole.statements.map(statement => ({
      ...statement,
      lines: statement.lines.map(({ order, concept, depth, label, labelRole, negated }) => [
        order,
        concept,
        depth,
        label,
        labelRole,
        negated ? 1 : 0,
      ]),
    })),
    sums: whole.sums,
  }
}

export function readSampleFilings(zipped: Uint8Array): StatedFiling[] {
  const lines = gunzipSync(zipped).toString('utf8').split('\n')
  return lines.flatMap(line => (line === '' ? [] : [statedFiling(JSON.parse(line))]))
}

function statedFiling(sample: SampleFiling): StatedFiling {
  const source = wholeSources.find(one => one === sample.source)
  if (source === undefined) throw new Error(`The sample has a filing with the source ${sample.source}.`)
  const contexts = sample.contexts.map(
    ([start, end, quarters, dimensions]): FigureContext => ({
      start,
      end,
      quarters,
      dimensions: dimensions.map(([axis, member]) => ({ axis, member })),
    }),
  )
  return {
    market: sample.market,
    issuerId: sample.issuer_id,
    source,
    periodEnd: sample.period_end === null ? null : dayNumber(sample.period_end),
    whole: {
      accession: sample.accession,
      taxonomies: new Map(sample.taxonomies),
      defaultMembers: new Map(sample.default_members),
      figures: sample.figures.map(
        ([concept, context, unit, decimals, value]): ReportedFigure => ({
          concept,
          context: contexts[context],
          unit,
          decimals: decimals === 'INF' ? Number.POSITIVE_INFINITY : decimals,
          value,
        }),
      ),
      statements: sample.statements.map(
        (statement): Statement => ({
          ...statement,
          kind: statementKinds.find(kind => kind === statement.kind) ?? null,
          lines: statement.lines.map(
            ([order, concept, depth, label, labelRole, negated]): StatementLine => ({
              order,
              concept,
              depth,
              label,
              labelRole,
              negated: negated === 1,
            }),
          ),
        }),
      ),
      sums: sample.sums,
    },
  }
}
