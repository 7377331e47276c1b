import { Elysia } from 'elysia'
import { tokenDigest } from '../../access/cookies.ts'
import { contentPolicy as reportPolicy } from '../../backtest/report/tearSheet/policy.ts'
import type { OpenSpan } from '../../backtest/report/tearSheet/publicPage.ts'
import { Failure } from '../../errors.ts'
import { html } from '../../html.ts'
import { cacheable, respondFromCache } from '../../http/answers.ts'
import { compressions } from '../../http/compression.ts'
import { computeCaller } from '../../http/computeCaller.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { personalHeaders } from '../../http/headers.ts'
import { htmlHeaders } from '../../http/pages/policy.ts'
import { shell } from '../../http/pages/shell.ts'
import { noQuery } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { prefersHtml } from '../../http/preferences.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import { readStored } from '../../jobs/jobQueries.ts'
import { demoPrincipal } from '../../rights/licences.ts'
import { findShared, type SharedReport } from './queries.ts'
import { mayBePassedOn, type ShareDeps, sharedPath } from './share.ts'

export interface PublicReportDeps extends ShareDeps {
  readonly responses: ResponseCache
  readonly dataVersion: () => number
  readonly settings: ShareDeps['settings'] & { readonly version: string }
}

/** No search engine lists a report, and links in it do not pass its address on. */
const unlisted = { 'X-Robots-Tag': 'noindex, nofollow', 'Referrer-Policy': 'no-referrer' } as const

const reportHeaders = {
  'Content-Security-Policy': `${reportPolicy}; frame-ancestors 'none'`,
  ...unlisted,
} as const

const path = sharedPath(':token')

/** /shared/{token}: the report of a backtest for everyone who has its address. */
export function publicReportRoutes(http: HttpPlugin, deps: PublicReportDeps) {
  return new Elysia({ name: 'publicReports' })
    .use(http)
    .get(path, async ({ context }) => show(deps, context), { access: 'page', detail: { hide: true } })
}

async function show(deps: PublicReportDeps, context: RequestContext): Promise<Answer> {
  noQuery(context)
  try {
    const token = context.path.slice(sharedPath('').length)
    const shared = await findShared(deps.sql, tokenDigest(token))
    if (shared === null || !mayBePassedOn(deps, shared.markets)) throw missing()
    return await report(deps, context, shared)
  } catch (error) {
    const isMissing = error instanceof Failure && error.code === 'entity_unknown'
    if (!isMissing || !prefersHtml(context.request.headers.get('accept'))) throw error
    return missingPage(context)
  }
}

/** Rendered once and then served from the response cache. Whether it is still open is read on every request. */
function report(
  { sql, pool, responses, dataVersion, settings }: PublicReportDeps,
  context: RequestContext,
  shared: SharedReport,
): Answer | Promise<Answer> {
  const make = async () => {
    const stored = await readStored(sql, shared.jobId)
    if (stored === null) throw missing()
    const caller = computeCaller(demoPrincipal, context.address)
    const content = await pool.tasks.renderPublicPage({ stored, open: spanOf(shared) }, { caller })
    return { content, headers: reportHeaders }
  }
  const key = `shared ${settings.version} ${shared.id}`
  const type = 'text/html; charset=utf-8'
  return respondFromCache(
    responses,
    context,
    dataVersion(),
    cacheable(key, type, make, compressions.documents, true),
  )
}

const spanOf = ({ createdAt, expiresAt }: SharedReport): OpenSpan => ({
  since: minuteOf(createdAt),
  until: minuteOf(expiresAt),
})

const minuteOf = (time: Date) => time.toISOString().slice(0, 16).replace('T', ' ')

const missing = () =>
  new Failure(
    'entity_unknown',
    'No report is shared at this address. It may have expired, or its owner may have revoked it.',
    { param: 'token' },
  )

/** The same bytes for an address that has stopped working and for one that never worked. */
function missingPage(context: RequestContext): Answer {
  const headers = { ...htmlHeaders(), ...unlisted, 'Cache-Control': 'no-store', Vary: 'Accept, Cookie' }
  const body = shell(
    {
      title: 'No such report',
      unlisted: true,
      layout: 'prose',
      main: html`<h1>No such report</h1>
<p>No report is shared at this address. It may have expired, or its owner may have revoked it.</p>
<p>You can <a href="/backtest">run a backtest</a> of your own.</p>`,
    },
    context,
  )
  return { status: 404, headers: personalHeaders(headers), body }
}
