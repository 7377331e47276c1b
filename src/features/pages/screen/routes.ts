import { Elysia } from 'elysia'
import { Failure } from '../../../errors.ts'
import { cacheable, contentTypes, redirectAnswer, respondFromCache } from '../../../http/answers.ts'
import { compressions } from '../../../http/compression.ts'
import { computeCaller } from '../../../http/computeCaller.ts'
import type { Answer, RequestContext } from '../../../http/context.ts'
import { PageFailure } from '../../../http/pages/pageFailure.ts'
import { familyReader } from '../../../http/parameters.ts'
import type { HttpPlugin } from '../../../http/plugin.ts'
import type { PriceSet } from '../../../prices/priceQueries.ts'
import { withAllowance } from '../../../rights/entityCap.ts'
import type { KnownPriceSets } from '../../valuations/knownPriceSets.ts'
import { companyValuer, type MarketValuationDeps } from '../../valuations/valueMarket.ts'
import { answerList, filledFields } from '../answer.ts'
import { type PageDeps, viewerKey } from '../deps.ts'
import { readScreenFormat, screenDownload } from './download.ts'
import { publicViewer, refusedScreen, screenPage } from './page.ts'
import { PickQuery, picks } from './picks.ts'
import { pricesOfScreen } from './plan.ts'
import { readScreen } from './query.ts'

interface ScreenRouteDeps extends PageDeps, MarketValuationDeps {
  readonly priceSets: KnownPriceSets
}

const readPicks = familyReader(PickQuery, picks)

/** The page of /screen, its files, and the way from its rows to a comparison. */
export function screenRoutes(http: HttpPlugin, deps: ScreenRouteDeps) {
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
async function answerScreen(deps: ScreenRouteDeps, context: RequestContext): Promise<Answer> {
  const { rights } = context.authenticatedCaller
  const isOffered = await deps.priceSets.hasUsable(rights)
  const text = filledFields(context.queryText)
  const sent = readScreen(text)
  try {
    for (const failure of sent.failures.values()) throw failure
    const set = await pricesOfScreen(deps, rights, sent.screen)
    const key = `screen ${text}${isOffered ? ' offered' : ''}${keyOfSet(set)}`
    const reader = screenReader(deps, context)
    return await answerList(deps, context, key, viewer =>
      screenPage(reader, viewer, sent, { set, isOffered }),
    )
  } catch (error) {
    if (!(error instanceof Failure) || !isOfForm(error)) throw error
    const failures = new Map(sent.failures)
    const { param = '' } = error.details
    if (!failures.has(param)) failures.set(param, error)
    throw new PageFailure(error, refusedScreen(deps, rights, { ...sent, failures }, isOffered))
  }
}

/** A set is part of the cache key of whatever shows it. */
const keyOfSet = (set: PriceSet | null) => (set === null ? '' : ` prices ${set.priceSetId}`)

const screenReader = (
  deps: ScreenRouteDeps,
  { authenticatedCaller: { rights }, address }: RequestContext,
) => ({
  ...deps,
  valueCompanies: companyValuer(deps, computeCaller(rights, address)),
})

const codesOfForm = new Set<string>([
  'parameter_invalid',
  'parameter_unknown',
  'parameter_repeated',
  'licence_required',
  'entity_unknown',
  'entity_cap_reached',
])
const isOfForm = ({ code, details }: Failure): boolean => codesOfForm.has(code) && details.param !== undefined

async function answerDownload(deps: ScreenRouteDeps, context: RequestContext): Promise<Answer> {
  const fields = filledFields(context.queryText).split('&')
  const isFormat = (field: string) => /^format(=|$)/.test(field)
  const { format = 'csv' } = readScreenFormat(fields.filter(isFormat).join('&'))
  const text = fields.filter(field => !isFormat(field)).join('&')
  const { screen, failures } = readScreen(text)
  for (const failure of failures.values()) throw failure
  const { rights } = context.authenticatedCaller
  const set = await pricesOfScreen(deps, rights, screen)
  return withAllowance(deps.sql, rights, allowance => {
    const seen = allowance === null ? '' : ` seen ${allowance.seen.length}`
    const key = `screen file ${viewerKey(rights)} ${deps.today()} ${format} ${text}${seen}${keyOfSet(set)}`
    // As on the page, companies count against a capped licence only if the visitor chose something.
    const isPublic = rights.entityCap !== null && screen.isBlank
    const viewer = isPublic ? publicViewer(deps) : { rights, allowance }
    const reader = screenReader(deps, context)
    const make = () => screenDownload(reader, viewer, screen, format, set)
    const response = cacheable(key, contentTypes[format], make, compressions.marketRows, true)
    return respondFromCache(deps.responses, context, deps.dataVersion(), response)
  })
}
