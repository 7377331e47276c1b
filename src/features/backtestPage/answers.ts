import type { ComputeCaller } from '../../backtest/pool/caller.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import { contentPolicy as reportPolicy, styleSource } from '../../backtest/report/tearSheet/policy.ts'
import { cacheable, jsonType, respondFromCache } from '../../http/answers.ts'
import { compressions } from '../../http/compression.ts'
import { computeCaller } from '../../http/computeCaller.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { personalHeaders } from '../../http/headers.ts'
import { contentPolicy, htmlHeaders } from '../../http/pages/policy.ts'
import { type Page, shell } from '../../http/pages/shell.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import { demoPrincipal } from '../../rights/licences.ts'
import { type StoredChoice, storedName } from './storedGrid.ts'
import type { StoredResults } from './storedResults.ts'

/**
 * A page of this site with a report in a frame. A frame that the script fills inherits the page's policy, so
 * the page allows the report's style by its hash.
 */
const frameHeaders = htmlHeaders(contentPolicy({ 'style-src': styleSource, 'frame-src': "'self'" }))

/** Only our own pages may show these pages in a frame. */
const reportHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `${reportPolicy}; frame-ancestors 'self'`,
  'Referrer-Policy': 'no-referrer',
} as const

/** These responses name a key and runs, so they are never cached. Authorization affects them as well. */
const unstored = { 'Cache-Control': 'no-store', Vary: 'Cookie, Authorization' } as const

export function answerPage(
  context: RequestContext,
  status: number,
  page: Page,
  own: Readonly<Record<string, string>> = {},
): Answer {
  const headers = personalHeaders({ ...frameHeaders, ...unstored, ...own })
  return { status, headers, body: shell(page, context) }
}

export type ResultForm = 'html' | 'json' | 'csv'

/** The headers of a result in the requested format, for a download with a file name. */
function formHeaders(form: ResultForm, name: string): Record<string, string> {
  switch (form) {
    case 'html':
      return reportHeaders
    case 'json':
      return { 'Content-Type': jsonType, 'Content-Disposition': `attachment; filename="${name}.json"` }
    case 'csv':
      return {
        'Content-Type': 'text/csv; charset=utf-8; header=present',
        'Content-Disposition': `attachment; filename="${name}.csv"`,
      }
    default:
      return form satisfies never
  }
}

async function contentOf(pool: ComputePool, caller: ComputeCaller, result: string, form: ResultForm) {
  if (form === 'json') return result
  if (form === 'csv') return (await pool.tasks.readResultParts({ result }, { caller })).curve
  return (await pool.tasks.renderResultPage({ stored: result }, { caller })).bytes
}

/**
 * A run's result in the requested format.
 *
 * @param result as stored for a page, or the bare response
 */
export async function resultAnswer(
  pool: ComputePool,
  caller: ComputeCaller,
  result: string,
  form: ResultForm,
): Promise<Answer> {
  const headers = { ...formHeaders(form, 'backtest'), ...unstored }
  return { status: 200, headers: personalHeaders(headers), body: await contentOf(pool, caller, result, form) }
}

interface StoredDeps {
  readonly pool: ComputePool
  readonly responses: ResponseCache
  readonly dataVersion: () => number
  readonly stored: StoredResults
  readonly settings: { readonly version: string }
}

/** A stored result in the requested format. It is rendered once and then served from the response cache. */
export function storedAnswer(
  { pool, responses, dataVersion, stored, settings }: StoredDeps,
  context: RequestContext,
  choice: StoredChoice,
  form: ResultForm,
): Answer | Promise<Answer> {
  const name = storedName(choice)
  const visitor = computeCaller(demoPrincipal, context.address)
  const { 'Content-Type': type = jsonType, ...own } = formHeaders(
    form,
    `example-${name.replaceAll(' ', '-')}`,
  )
  const make = async () => {
    const content = await contentOf(pool, visitor, await stored.read(choice), form)
    return { content, headers: own }
  }
  const key = `stored ${settings.version} ${form} ${name}`
  return respondFromCache(
    responses,
    context,
    dataVersion(),
    cacheable(key, type, async () => make(), compressions.documents, true),
  )
}
