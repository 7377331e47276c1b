import { Elysia } from 'elysia'
import { Failure } from '../../../errors.ts'
import { cacheable, contentTypes, redirectAnswer, respondFromCache } from '../../../http/answers.ts'
import { compressions } from '../../../http/compression.ts'
import type { Answer, RequestContext } from '../../../http/context.ts'
import { PageFailure } from '../../../http/pages/pageFailure.ts'
import { familyReader } from '../../../http/parameters.ts'
import type { HttpPlugin } from '../../../http/plugin.ts'
import { withAllowance } from '../../../rights/entityCap.ts'
import { answerList, filledFields } from '../answer.ts'
import { type PageDeps, viewerKey } from '../deps.ts'
import { readScreenFormat, screenDownload } from './download.ts'
import { publicViewer, refusedScreen, screenPage } from './page.ts'
import { PickQuery, picks } from './picks.ts'
import { readScreen } from './query.ts'

const readPicks = familyReader(PickQuery, picks)

/** The page of /screen, its files, and the way from its rows to a comparison. */
export function screenRoutes(http: HttpPlugin, deps: PageDeps) {
  return new Elysia({ name: 'screen' })
    .use(http)
    .get('/screen', async ({ context }) => answerScreen(deps, context), {
      access: 'page',
      detail: { hide: true },
    })
    .get('/screen/download', async ({ context }) => answerDownload(deps, context), {
      access: 'download',
      detail: { hide: true },
    })
    .get(
      '/screen/compare',
      async ({ context }) => {
        const { query, members } = readPicks(filledFields(context.queryText))
        const ids = [...members.keys()].map(name => encodeURIComponent(name.slice('pick_'.length)))
        if (ids.length === 0) return redirectAnswer('/screen')
        const day = query.as_of === undefined ? '' : `&as_of=${encodeURIComponent(query.as_of)}`
        return redirectAnswer(`/compare?companies=${ids.join(',')}${day}`)
      },
      { access: 'page', detail: { hide: true } },
    )
}

/** Mistakes in the form are shown in the form, which keeps what was typed. */
async function answerScreen(deps: PageDeps, context: RequestContext): Promise<Answer> {
  const text = filledFields(context.queryText)
  const sent = readScreen(text)
  try {
    for (const failure of sent.failures.values()) throw failure
    return await answerList(deps, context, `screen ${text}`, viewer => screenPage(deps, viewer, sent))
  } catch (error) {
    if (!(error instanceof Failure) || !isOfForm(error)) throw error
    const failures = new Map(sent.failures)
    const { param = '' } = error.details
    if (!failures.has(param)) failures.set(param, error)
    const { rights } = context.authenticatedCaller
    throw new PageFailure(error, refusedScreen(deps, rights, { ...sent, failures }))
  }
}

const codesOfForm = new Set<string>([
  'parameter_invalid',
  'parameter_unknown',
  'parameter_repeated',
  'licence_required',
  'entity_unknown',
  'entity_cap_reached',
])
const isOfForm = ({ code, details }: Failure): boolean => codesOfForm.has(code) && details.param !== undefined

function answerDownload(deps: PageDeps, context: RequestContext): Answer | Promise<Answer> {
  const fields = filledFields(context.queryText).split('&')
  const isFormat = (field: string) => /^format(=|$)/.test(field)
  const { format = 'csv' } = readScreenFormat(fields.filter(isFormat).join('&'))
  const text = fields.filter(field => !isFormat(field)).join('&')
  const { screen, failures } = readScreen(text)
  for (const failure of failures.values()) throw failure
  const { rights } = context.authenticatedCaller
  return withAllowance(deps.sql, rights, allowance => {
    const seen = allowance === null ? '' : ` seen ${allowance.seen.length}`
    const key = `screen file ${viewerKey(rights)} ${deps.today()} ${format} ${text}${seen}`
    // As on the page, companies count against a capped licence only if the visitor chose something.
    const isPublic = rights.entityCap !== null && screen.isBlank
    const viewer = isPublic ? publicViewer(deps) : { rights, allowance }
    const make = () => screenDownload(deps, viewer, screen, format)
    const response = cacheable(key, contentTypes[format], make, compressions.marketRows, true)
    return respondFromCache(deps.responses, context, deps.dataVersion(), response)
  })
}
