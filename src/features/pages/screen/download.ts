import { Type } from '@sinclair/typebox'
import { Failure } from '../../../errors.ts'
import { renderList } from '../../../formats/rows.ts'
import { contentTypes } from '../../../http/answers.ts'
import { asFile } from '../../../http/fileName.ts'
import { queryReader } from '../../../http/parameters.ts'
import type { PriceSet } from '../../../prices/priceQueries.ts'
import { termsOf } from '../../companies/licenceTerms.ts'
import { crossSectionLimit, crossSectionTableSheet } from '../../crossSection/schema.ts'
import { readCrossSectionTable } from '../../crossSection/table.ts'
import type { PageViewer } from '../../marketPages/query.ts'
import { isDownloadable } from '../downloads.ts'
import { planScreen, type ScreenDeps } from './plan.ts'
import { type Screen, screenFields } from './query.ts'

export const screenFormats = ['csv', 'parquet'] as const
export type ScreenFormat = (typeof screenFormats)[number]

export const readScreenFormat = queryReader(
  Type.Object(
    { format: Type.Optional(Type.Union(screenFormats.map(format => Type.Literal(format)))) },
    { additionalProperties: false },
  ),
)

export const screenDownloadPath = (screen: Screen, format: ScreenFormat): string => {
  const fields = screenFields(screen)
  fields.set('format', format)
  return `/screen/download?${fields.toString()}`
}

/** The table of a screen as a file: the answer of GET /api/v1/cross-section with the same rights. */
export async function screenDownload(
  deps: ScreenDeps,
  viewer: PageViewer,
  screen: Screen,
  format: ScreenFormat,
  set: PriceSet | null,
): Promise<{
  content: string | Uint8Array<ArrayBuffer>
  headers: Record<string, string>
  next: string | null
}> {
  const manifest = deps.markets.get(screen.market)
  // Checked before the plan, which may count companies: a refused download must not count.
  if (manifest !== undefined && !isDownloadable(deps.settings, manifest))
    throw new Failure(
      'licence_required',
      `There are no files for ${manifest.name}, because the terms of its register have not been read in full. The operator of this service can enable them with ALLOW_UNVERIFIED_MARKETS=${manifest.code}.`,
      { param: 'market' },
    )
  const { plan } = await planScreen(deps, viewer, screen, crossSectionLimit.max, set)
  const table = await deps.readLimiter.run('pages', () => readCrossSectionTable(deps, viewer.rights, plan))
  const form = { format, comments: format === 'csv', key: format }
  const sheet = crossSectionTableSheet(plan.metrics, plan.asOf, plan.grouping !== null, set !== null)
  const { content, headers } = await renderList(form, sheet, table, termsOf(deps.markets, [plan.market]))
  const file = asFile(format, 'screen', plan.market, plan.metrics, plan.asOf)
  return {
    content,
    headers: { ...headers, ...file, 'Content-Type': contentTypes[format] },
    next: table.next,
  }
}
