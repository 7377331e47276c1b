import { Failure } from '../../../errors.ts'
import { renderList } from '../../../formats/rows.ts'
import { contentTypes } from '../../../http/answers.ts'
import { parseAsOf } from '../../../markets/asOf.ts'
import { termsOf } from '../../companies/licenceTerms.ts'
import { findByAnyId } from '../../companies/lookup.ts'
import { memberRows } from '../../statements/segments.ts'
import { segmentSheet } from '../../statements/segmentsSchema.ts'
import { standardSheet } from '../../statements/standardSchema.ts'
import { standardRows } from '../../statements/standardStatement.ts'
import { cellRows } from '../../statements/statement.ts'
import { statementSheet } from '../../statements/statementSchema.ts'
import type { Visitor } from '../deps.ts'
import { type DownloadFormat, isDownloadable } from '../downloads.ts'
import type { SegmentsDownloadQuery, StatementDownloadQuery } from './query.ts'
import { type PresentedDeps, readSegmentsDownload, readStatementDownload } from './read.ts'

interface File {
  readonly content: string | Uint8Array<ArrayBuffer>
  readonly headers: Record<string, string>
}

/** A statement as a file: the answer of GET /api/v1/statements with the same rights. */
export async function statementDownload(
  deps: PresentedDeps,
  visitor: Visitor,
  id: string,
  { format = 'csv', ...query }: StatementDownloadQuery,
): Promise<File> {
  await requireDownloadable(deps, id, query)
  const read = await readStatementDownload(deps, visitor, id, query)
  const { answer } = read
  const name = [
    'asfiled',
    read.view === 'standard' ? 'standard' : 'statement',
    answer.statement,
    answer.ticker,
    answer.as_of,
  ].join('-')
  const file = attachment(name, format)
  if (format === 'json') return jsonFile(answer, file)
  const terms = termsOf(deps.markets, [answer.market])
  const { content, headers } =
    read.view === 'standard'
      ? await renderList(
          formOf(format),
          standardSheet,
          { ...read.answer, data: [...standardRows(read.answer)] },
          terms,
        )
      : await renderList(
          formOf(format),
          statementSheet,
          { ...read.answer, data: [...cellRows(read.answer)] },
          terms,
        )
  return { content, headers: { ...headers, ...file, 'Content-Type': contentTypes[format] } }
}

/** A breakdown as a file: the answer of GET /api/v1/segments with the same rights. */
export async function segmentsDownload(
  deps: PresentedDeps,
  visitor: Visitor,
  id: string,
  { format = 'csv', ...query }: SegmentsDownloadQuery,
): Promise<File> {
  await requireDownloadable(deps, id, query)
  const answer = await readSegmentsDownload(deps, visitor, id, query)
  const { ticker, metric, tag, as_of } = answer
  const subject = metric ?? tag ?? query.tag ?? 'figures'
  const name = ['asfiled', 'segments', subject, query.axis ?? 'product', ticker, as_of].join('-')
  const file = attachment(name, format)
  if (format === 'json') return jsonFile(answer, file)
  const data = { ...answer, data: [...memberRows(answer)] }
  const terms = termsOf(deps.markets, [answer.market])
  const { content, headers } = await renderList(formOf(format), segmentSheet, data, terms)
  return { content, headers: { ...headers, ...file, 'Content-Type': contentTypes[format] } }
}

/** Checked before the plan, which counts the company: a refused download must not count. */
async function requireDownloadable(
  deps: PresentedDeps,
  id: string,
  query: Pick<StatementDownloadQuery, 'as_of' | 'tz'>,
): Promise<void> {
  const { entity } = await findByAnyId({ ...deps, sql: deps.lookups }, id, parseAsOf(query))
  if (isDownloadable(deps.settings, deps.markets.get(entity.market))) return
  throw new Failure(
    'licence_required',
    `There are no files for market ${entity.market}, because the terms of its register have not been read in full. The operator of this service can enable them with ALLOW_UNVERIFIED_MARKETS=${entity.market}.`,
    { param: 'id' },
  )
}

/** A name that could end the header or name a folder would be unsafe; instants have colons. */
const attachment = (name: string, format: DownloadFormat) => ({
  'Content-Disposition': `attachment; filename="${name.replaceAll(/[^\w.-]+/g, '_')}.${format}"`,
})

const jsonFile = (answer: object, headers: Record<string, string>): File => ({
  content: JSON.stringify(answer),
  headers: { ...headers, 'Content-Type': contentTypes.json },
})

const formOf = (format: Exclude<DownloadFormat, 'json'>) => ({
  format,
  comments: format === 'csv',
  key: format,
})
