import { demoPrincipal } from '../../access/authenticate.ts'
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
import { type StoredChoice, storedName } from './storedGrid.ts'
import type { StoredResults } from './storedResults.ts'

/** A page of this server with a report in a frame. Where the script fills the frame, the frame has the policy of the page, so the
 * page allows the style of the report by its hash. */
const frameHeaders = htmlHeaders(contentPolicy({ 'style-src': styleSource, 'frame-src': "'self'" }))

/** Pages of this feature may be shown in a frame by our own pages alone. */
const reportHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `${reportPolicy}; frame-ancestors 'self'`,
  'Referrer-Policy': 'no-referrer',
} as const

/** They name a key and runs: never cached, and Authorization decides, too. */
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

/** The headers of a result in a form, for a download under a name. */
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
  if (form === 'csv') return (await pool.run('result_parts', { result }, { caller })).curve
  return (await pool.run('result_page', { stored: result }, { caller })).bytes
}

/** The result of a run in a form.
 *
 * @param result as it is stored for a page, otherwise the answer alone */
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

/** A stored result in a form. It is rendered once, and then in the cache of responses. */
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
