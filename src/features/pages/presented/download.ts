import { Failure } from '../../../errors.ts'
import { renderList } from '../../../formats/rows.ts'
import { contentTypes } from '../../../http/answers.ts'
import { parseAsOf } from '../../../markets/asOf.ts'
import { termsOf } from '../../companies/licenceTerms.ts'
import { findByAnyId } from '../../companies/lookup.ts'
import { standardSheet } from '../../statements/standardSchema.ts'
import { standardRows } from '../../statements/standardStatement.ts'
import { cellRows } from '../../statements/statement.ts'
import { statementSheet } from '../../statements/statementSchema.ts'
import type { Visitor } from '../deps.ts'
import { type DownloadFormat, isDownloadable } from '../downloads.ts'
import type { StatementDownloadQuery } from './query.ts'
import { type PresentedDeps, readStatementDownload } from './read.ts'

/** A statement as a file: the answer of GET /api/v1/statements with the same rights. */
export async function statementDownload(
  deps: PresentedDeps,
  visitor: Visitor,
  id: string,
  { format = 'csv', ...query }: StatementDownloadQuery,
): Promise<{ content: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> }> {
  // Checked before the plan, which counts the company: a refused download must not count.
  const { entity } = await findByAnyId({ ...deps, sql: deps.lookups }, id, parseAsOf(query))
  if (!isDownloadable(deps.settings, deps.markets.get(entity.market)))
    throw new Failure(
      'licence_required',
      `There are no files for market ${entity.market}, because the terms of its register have not been read in full. The operator of this service can enable them with ALLOW_UNVERIFIED_MARKETS=${entity.market}.`,
      { param: 'id' },
    )
  const read = await readStatementDownload(deps, visitor, id, query)
  const { answer } = read
  const name = [
    'asfiled',
    read.view === 'standard' ? 'standard' : 'statement',
    answer.statement,
    answer.ticker,
    answer.as_of,
  ].join('-')
  // A name that could end the header or name a folder would be unsafe; instants have colons.
  const file = {
    'Content-Disposition': `attachment; filename="${name.replaceAll(/[^\w.-]+/g, '_')}.${format}"`,
  }
  if (format === 'json')
    return { content: JSON.stringify(answer), headers: { ...file, 'Content-Type': contentTypes.json } }
  const form = { format, comments: format === 'csv', key: format } satisfies {
    format: DownloadFormat
    comments: boolean
    key: string
  }
  const terms = termsOf(deps.markets, [answer.market])
  const { content, headers } =
    read.view === 'standard'
      ? await renderList(form, standardSheet, { ...read.answer, data: [...standardRows(read.answer)] }, terms)
      : await renderList(form, statementSheet, { ...read.answer, data: [...cellRows(read.answer)] }, terms)
  return { content, headers: { ...headers, ...file, 'Content-Type': contentTypes[format] } }
}
