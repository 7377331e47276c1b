import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { PanelFile } from '../../backtest/pipeline/readPanelFile.ts'
import { Failure } from '../../errors.ts'
import { redirectAnswer } from '../../http/answers.ts'
import { type Answer, type RequestContext, requireQuant, withoutIdleTimeout } from '../../http/context.ts'
import { errorStatus } from '../../http/errors.ts'
import { queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import type { Markets } from '../../markets/markets.ts'
import { yearToDateSuffix } from '../../markets/metrics.ts'
import { strategies } from '../../markets/strategies/strategies.ts'
import { readPrincipal } from '../../rights/queries.ts'
import { Rights } from '../../rights/rights.ts'
import { pageJobs } from '../backtests/submitted/keyJobs.ts'
import { visibleSets } from '../prices/sets.ts'
import type { ShareDeps } from '../sharedReports/share.ts'
import { readSignalExtent } from '../signals/queries.ts'
import { answerPage, storedAnswer } from './answers.ts'
import type { ArchiveFacts } from './formSection.ts'
import { backtestPage } from './page.ts'
import { inFormWords, type SubmittedForm, type Typed, useForm } from './runForm.ts'
import { findRunner, type Runner } from './runner.ts'
import { runPath } from './runPage.ts'
import { type RunRouteDeps, runRoutes } from './runRoutes.ts'
import { checkFile, type StartDeps, startRun } from './start.ts'
import { firstChoice, type StoredChoice, StoredQuery } from './storedGrid.ts'
import type { StoredResults } from './storedResults.ts'

export interface BacktestPageDeps extends RunRouteDeps, StartDeps {
  readonly markets: Markets
  readonly responses: ResponseCache
  readonly stored: StoredResults
  readonly settings: ShareDeps['settings'] & { readonly version: string; readonly bodyLimitMb: number }
}

const page = { access: 'page', detail: { hide: true } } as const
const shownRuns = 8

const readForm = queryReader(
  Type.Object(
    {
      ...StoredQuery.properties,
      score: Type.Optional(
        Type.String({
          pattern: '^[a-z][a-z0-9_]{0,63}$',
          allowed: 'the name of a metric or a strategy, in lower case',
          description: 'What the form ranks by at first.',
          examples: ['accruals'],
        }),
      ),
    },
    { additionalProperties: false },
  ),
)
const formats = Type.Union([Type.Literal('html'), Type.Literal('json'), Type.Literal('csv')])
const readExample = queryReader(
  Type.Object({ ...StoredQuery.properties, format: Type.Optional(formats) }, { additionalProperties: false }),
)

/** /backtest: a page to run backtests, and stored results for those who cannot. */
export function backtestPageRoutes(http: HttpPlugin, deps: BacktestPageDeps) {
  const archive = new ArchiveExtent(deps)
  return new Elysia({ name: 'backtestPage' })
    .use(http)
    .use(runRoutes(http, deps))
    .get(
      '/backtest',
      async ({ context }) => {
        const { score, ...chosen } = readForm(context.queryText)
        const choice = { ...firstChoice, ...chosen }
        const typed = score === undefined ? {} : { score }
        return showForm(deps, archive, context, await findRunner(deps, context), { choice, typed })
      },
      { ...page },
    )
    .post('/backtest', async ({ context }) => receiveForm(deps, archive, context), {
      access: 'pageForm',
      detail: { hide: true },
      parse: 'none',
    })
    .get(
      '/backtest/example',
      async ({ context }) => {
        const { format = 'html', ...sent } = readExample(context.queryText)
        return storedAnswer(deps, context, { ...firstChoice, ...sent }, format)
      },
      { ...page },
    )
}

interface FormState {
  readonly typed?: Typed
  readonly failure?: Failure
  readonly checked?: PanelFile
  readonly choice?: StoredChoice
}

async function showForm(
  { sql, markets, stored, settings }: BacktestPageDeps,
  archive: ArchiveExtent,
  context: RequestContext,
  { keyIds: [keyId], keyName }: Runner,
  { typed = {}, failure, checked, choice = firstChoice }: FormState,
): Promise<Answer> {
  const shipped = await stored.archive()
  const runs = keyId === undefined ? [] : (await pageJobs(sql, keyId, { limit: shownRuns })).jobs
  const shown = backtestPage({
    form: {
      archive: await archive.read(),
      metrics: [
        ...[...markets.metrics.keys()].filter(name => !name.endsWith(yearToDateSuffix)),
        ...strategies.keys(),
      ],
      shipped,
      maxMb: settings.bodyLimitMb,
      priceSets:
        keyId === undefined ? [] : await visibleSets(sql, new Rights(await readPrincipal(sql, keyId))),
    },
    typed,
    choice,
    shipped,
    keyName,
    runs,
    isSignedIn: context.isSignedIn,
    baseUrl: settings.baseUrl,
    fault: failure === undefined ? null : inFormWords(failure),
    checked: checked ?? null,
  })
  const retry = failure?.details.retryAfterSeconds
  return answerPage(
    context,
    failure === undefined ? 200 : errorStatus(failure.code).status,
    shown,
    retry === undefined ? {} : { 'Retry-After': String(retry) },
  )
}

/** The sender is identified before the form is read, because the key determines what may be uploaded. */
async function receiveForm(
  deps: BacktestPageDeps,
  archive: ArchiveExtent,
  context: RequestContext,
): Promise<Answer> {
  const runner = await findRunner(deps, context)
  const [keyId] = runner.keyIds
  if (keyId === undefined) {
    if (!context.isSignedIn) return redirectAnswer('/sign-in?next=/backtest')
    requireQuant(context)
    throw new Error('A visitor with the quant plan has no key.')
  }
  const { licence } = context.authenticatedCaller.rights
  const act = (sent: SubmittedForm) => runForm(deps, archive, context, { runner, keyId, sent })
  return useForm(context, deps.bodies, act, { keyId, licence, quant: true })
}

async function runForm(
  deps: BacktestPageDeps,
  archive: ArchiveExtent,
  context: RequestContext,
  { runner, keyId, sent }: { runner: Runner; keyId: number; sent: SubmittedForm },
): Promise<Answer> {
  const { typed } = sent
  const { signal } = context.request
  try {
    await runner.count()
    if (typed.do === 'check') {
      const checked = await withoutIdleTimeout(context, () => checkFile(deps, keyId, sent, signal))
      return showForm(deps, archive, context, runner, { typed, checked })
    }
    const id = await withoutIdleTimeout(context, () => startRun(deps, keyId, context.id, sent, signal))
    return redirectAnswer(runPath(id))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return showForm(deps, archive, context, runner, { typed, failure: error })
  }
}

/** The archive's extent, shown on every view of the page and read once per data version. */
class ArchiveExtent {
  readonly #deps: Pick<BacktestPageDeps, 'sql' | 'dataVersion'>
  #version = -1
  #facts: Promise<ArchiveFacts> | null = null

  constructor(deps: Pick<BacktestPageDeps, 'sql' | 'dataVersion'>) {
    this.#deps = deps
  }

  read(): Promise<ArchiveFacts> {
    const version = this.#deps.dataVersion()
    if (this.#facts !== null && version === this.#version) return this.#facts
    const reading = readSignalExtent(this.#deps.sql, null, null)
    this.#version = version
    this.#facts = reading
    reading.catch(() => {
      if (this.#facts === reading) this.#facts = null
    })
    return reading
  }
}
