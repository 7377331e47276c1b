import { Failure } from '../../../errors.ts'
import { renderList } from '../../../formats/rows.ts'
import { asFile } from '../../../http/fileName.ts'
import type { Rights } from '../../../rights/rights.ts'
import { termsOf } from '../../companies/licenceTerms.ts'
import { type UniverseQuery, universeLimit, universeSheet } from '../../universe/schema.ts'
import { planUniverse, readUniverse } from '../../universe/universe.ts'
import type { PageDeps } from '../deps.ts'
import { isDownloadable } from '../downloads.ts'

/** The universe of a day as CSV: the response of GET /api/v1/universe with the largest page. */
export async function universeDownload(
  deps: PageDeps,
  rights: Rights,
  query: Omit<UniverseQuery, 'format'>,
): Promise<{ content: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> }> {
  const plan = planUniverse(deps, rights, { ...query, limit: universeLimit.max })
  const manifest = deps.markets.get(plan.market)
  if (!isDownloadable(deps.settings, manifest))
    throw new Failure(
      'licence_required',
      `There are no files for ${manifest?.name ?? plan.market}: we have not read the terms of its register in full. The operator of this service can enable them with ALLOW_UNVERIFIED_MARKETS=${plan.market}.`,
      { param: 'market' },
    )
  const list = await deps.readLimiter.run('pages', () => readUniverse(deps, plan))
  const form = { format: 'csv', comments: true, key: 'csv' } as const
  const { content, headers } = await renderList(
    form,
    universeSheet,
    list,
    termsOf(deps.markets, [plan.market]),
  )
  return { content, headers: { ...headers, ...asFile('csv', 'universe', plan.market, plan.asOf) } }
}
