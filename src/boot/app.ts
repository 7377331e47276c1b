import http from 'node:http'
import { type AnyElysia, Elysia } from 'elysia'
import { uploadFolder } from '../config.ts'
import { accountErrorPage } from '../features/account/pages/errorPage.ts'
import { accountRoutes, meRoutes } from '../features/account/routes.ts'
import { adminRoutes } from '../features/admin/routes.ts'
import { agentToolRoutes } from '../features/agentTools/routes.ts'
import { joinJobRoutes } from '../features/asOfJoins/jobRoutes.ts'
import { asOfJoinRoutes } from '../features/asOfJoins/routes.ts'
import { auditPageRoutes } from '../features/auditPage/routes.ts'
import { auditJobRoutes } from '../features/audits/jobRoutes.ts'
import { auditRoutes } from '../features/audits/routes.ts'
import { backtestPageRoutes } from '../features/backtestPage/routes.ts'
import { StoredResults } from '../features/backtestPage/storedResults.ts'
import { batchRoutes } from '../features/backtests/batch/routes.ts'
import { PerKeyLimit } from '../features/backtests/perKeyLimit.ts'
import { backtestRoutes } from '../features/backtests/routes.ts'
import { jobRoutes } from '../features/backtests/submitted/routes.ts'
import { bulkRoutes } from '../features/bulk/routes.ts'
import { metricsRoutes } from '../features/catalogue/routes.ts'
import { changesRoutes } from '../features/changes/routes.ts'
import { companyProfileRoutes } from '../features/companyProfile/routes.ts'
import { coverageRoutes } from '../features/coverage/routes.ts'
import { crossSectionRoutes } from '../features/crossSection/routes.ts'
import { filingsRoutes } from '../features/filings/routes.ts'
import { framesRoutes } from '../features/frames/routes.ts'
import { fundamentalsRoutes } from '../features/fundamentals/routes.ts'
import { healthRoutes } from '../features/health/routes.ts'
import { licensingRoutes } from '../features/licensing/routes.ts'
import { orderRoutes } from '../features/orders/routes.ts'
import { companyPricesRoutes } from '../features/pages/companyPrices/routes.ts'
import { compareRoutes } from '../features/pages/compare/routes.ts'
import { fileRoutes } from '../features/pages/fileRoutes.ts'
import { presentedRoutes } from '../features/pages/presented/routes.ts'
import { pricePageRoutes } from '../features/pages/prices/routes.ts'
import { restatementsPageRoutes } from '../features/pages/restatements/routes.ts'
import { pageRoutes } from '../features/pages/routes.ts'
import { screenRoutes } from '../features/pages/screen/routes.ts'
import { strategyPageRoutes } from '../features/pages/strategies/routes.ts'
import { universePageRoutes } from '../features/pages/universe/routes.ts'
import { panelRoutes } from '../features/panels/routes.ts'
import { priceRoutes } from '../features/prices/routes.ts'
import { restatementsRoutes } from '../features/restatements/routes.ts'
import { searchRoutes } from '../features/search/routes.ts'
import { publicReportRoutes } from '../features/sharedReports/publicRoutes.ts'
import { sharedReportRoutes } from '../features/sharedReports/routes.ts'
import { signalsRoutes } from '../features/signals/routes.ts'
import { statementsRoutes } from '../features/statements/routes.ts'
import { strategyRoutes } from '../features/strategies/routes.ts'
import { universeRoutes } from '../features/universe/routes.ts'
import { KnownPriceSets } from '../features/valuations/knownPriceSets.ts'
import { MarketValuationCache } from '../features/valuations/valueMarket.ts'
import { BodyReader } from '../http/body.ts'
import { idleSeconds } from '../http/context.ts'
import { openapiRoutes } from '../http/docs/openapi.ts'
import { docsRoutes } from '../http/docs/routes.ts'
import { assetRoutes } from '../http/pages/assets.ts'
import { errorPage } from '../http/pages/errorPage.ts'
import { httpPlugin } from '../http/plugin.ts'
import { requireAccessPolicies } from '../http/routePolicies.ts'
import { UnpaidTurns } from '../http/unpaidTurns.ts'
import { registers } from '../ingest/allRegisters.ts'
import type { Resources } from './resources.ts'

/** The limit for the request line and headers together. Bun buffers them twice before any of our code runs,
 * so this is the memory that a client without a key can claim per connection. Longer ones get Bun's empty
 * 431, while a query over its own limit of 8 KB gets a message. */
const maxHeaderBytes = 32 * 1_024
/** Bodies over the app's own limit must also reach the app, because Bun's 413 is empty. */
const maxBunBodyBytes = 2 ** 40

/** The tags under which a market's register reports a metric, the preferred group first. */
const tagGroupsOf = (market: string, metric: string) =>
  registers.get(market)?.concepts[metric]?.tagGroups ?? []

/** The forms of a market's annual reports; none if no importer reads its register. */
const annualFormOf = (market: string) => registers.get(market)?.rules.annualForm ?? /^$/

/** The HTTP service: one Elysia plugin per feature, and the documentation. */
export function createApp(resources: Resources) {
  // The type is read-only, but Bun reads this value when a server starts.
  Reflect.set(http, 'maxHeaderSize', maxHeaderBytes)
  const app: AnyElysia = new Elysia({
    serve: { maxRequestBodySize: maxBunBodyBytes, idleTimeout: idleSeconds },
  })
  const { settings, config, backtests } = resources
  // One reader for all routes, because its limits are those of the whole server.
  const bodies = new BodyReader(settings.bodyLimitMb, uploadFolder(config))
  const plugin = httpPlugin(
    {
      ...resources,
      bodies,
      unpaidTurns: new UnpaidTurns(),
      explain: resources.storage.explain,
      errorPage: (context, failure) => accountErrorPage(context, failure) ?? errorPage(context, failure),
    },
    () => app,
  )
  const shared = {
    ...resources,
    version: settings.version,
    bodies,
    perKeyLimit: new PerKeyLimit(config.computeThreads, config.computeQueue),
    computeTimeoutMs: config.computeTimeoutMs,
    panels: backtests.panels,
  }
  // Dependencies of read-only routes. Keys, limits, jobs, panels, sessions and mail stay on the primary.
  const reading = { ...shared, ...resources.reads, marketValuations: new MarketValuationCache() }
  const priceSets = new KnownPriceSets(reading)
  const features = [
    fundamentalsRoutes(plugin, reading),
    coverageRoutes(plugin, reading),
    companyProfileRoutes(plugin, reading),
    crossSectionRoutes(plugin, reading),
    framesRoutes(plugin, reading),
    restatementsRoutes(plugin, reading),
    filingsRoutes(plugin, reading),
    statementsRoutes(plugin, { ...reading, annualFormOf, tagGroups: tagGroupsOf }),
    universeRoutes(plugin, reading),
    strategyRoutes(plugin, reading),
    metricsRoutes(plugin, { ...reading, tagGroups: tagGroupsOf }),
    asOfJoinRoutes(plugin, { ...reading, primary: shared }),
    joinJobRoutes(plugin, shared),
    auditRoutes(plugin, { ...reading, primary: shared }),
    auditJobRoutes(plugin, shared),
    priceRoutes(plugin, { ...reading, primary: shared }),
    pricePageRoutes(plugin, { ...reading, primary: shared }),
    companyPricesRoutes(plugin, { ...reading, primary: shared }),
    signalsRoutes(plugin, reading),
    backtestRoutes(plugin, shared),
    batchRoutes(plugin, shared),
    jobRoutes(plugin, shared),
    sharedReportRoutes(plugin, shared),
    publicReportRoutes(plugin, shared),
    panelRoutes(plugin, shared),
    bulkRoutes(plugin, { folder: config.bulkDir, dataVersion: shared.dataVersion }),
    changesRoutes(plugin, reading),
    searchRoutes(plugin, reading),
    meRoutes(plugin, shared),
    healthRoutes(plugin, shared),
    pageRoutes(plugin, { ...reading, annualFormOf, priceSets }),
    compareRoutes(plugin, reading),
    restatementsPageRoutes(plugin, reading),
    universePageRoutes(plugin, reading),
    strategyPageRoutes(plugin, reading),
    presentedRoutes(plugin, { ...reading, annualFormOf, tagGroups: tagGroupsOf, priceSets }),
    screenRoutes(plugin, { ...reading, priceSets }),
    fileRoutes(plugin, reading),
    auditPageRoutes(plugin, { ...reading, primary: shared }),
    backtestPageRoutes(plugin, { ...shared, stored: new StoredResults() }),
  ]
  app.use(plugin)
  for (const feature of features) app.use(feature)
  app
    .use(openapiRoutes(plugin, settings, features))
    .use(docsRoutes(plugin, settings))
    .use(assetRoutes(plugin))
    .use(agentToolRoutes(plugin, { ...shared, handle: async request => app.handle(request) }))
    .use(accountRoutes(plugin, shared))
    .use(licensingRoutes(plugin, shared))
    .use(adminRoutes(plugin, shared))
    .use(orderRoutes(plugin, shared))
  requireAccessPolicies(app)
  return app
}
