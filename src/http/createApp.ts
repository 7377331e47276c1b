import http from 'node:http'
import { Elysia } from 'elysia'
import { BodyCache } from './BodyCache.ts'
import { BodyReader } from './BodyReader.ts'
import { backtest } from './backtest.ts'
import { backtests } from './backtests.ts'
import { coverage } from './coverage.ts'
import { crossSection } from './crossSection.ts'
import { docs } from './docs/docs.ts'
import { fundamentals } from './fundamentals.ts'
import { health } from './health.ts'
import { openapi } from './openapi.ts'
import { panels } from './panels.ts'
import { restatements } from './restatements.ts'
import { search } from './search.ts'
import { routeMaker } from './serve.ts'
import type { Services } from './services.ts'
import { signals } from './signals.ts'
import { idleSeconds } from './unhurried.ts'
import { unrouted } from './unrouted.ts'

/** A request line and headers up to this size reach us and are refused in our words; Bun's own limit (16 KB)
 * answers with an empty 431. */
const readableHeaderBytes = 2 * 1_024 * 1_024
/** Bodies beyond the app's own limit have to reach the app too, or the 413 would be Bun's, which is empty. */
const bunBodyBytes = 2 ** 40

/** The HTTP service over `services`: one instance for each resource, what no route takes, and nothing else. */
export function createApp(services: Services) {
  // The type says read-only; Bun reads what is set here when a server starts.
  Reflect.set(http, 'maxHeaderSize', Math.max(http.maxHeaderSize, readableHeaderBytes))
  const app = new Elysia({ serve: { maxRequestBodySize: bunBodyBytes, idleTimeout: idleSeconds } })
  const route = routeMaker(services, () => app.server)
  const cache = new BodyCache()
  // One for all routes: the bound on what is held is one for the server.
  const bodies = new BodyReader(services.settings.bodyLimitMb, services.elapsedMs)
  const resources = [
    fundamentals(services, route, cache),
    coverage(services, route, cache),
    crossSection(services, route, cache),
    restatements(services, route, cache),
    signals(services, route),
    backtest(services, route, bodies),
    backtests(services, route),
    panels(services, route, bodies),
    search(services, route, cache),
    health(services, route),
  ]
  for (const resource of resources) app.use(resource)
  app.use(openapi(services.settings, route, resources)).use(docs(route))
  const lost = route('unrouted', 'open', unrouted(app))
  // Elysia itself only ever fails to find a route: the handlers answer their own failures.
  return app.onError(({ request }) => lost(request))
}
