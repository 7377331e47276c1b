import http from 'node:http'
import { Elysia } from 'elysia'
import { backtests } from '../features/backtests/jobs/routes.ts'
import { backtest } from '../features/backtests/routes.ts'
import { coverage } from '../features/coverage/routes.ts'
import { crossSection } from '../features/crossSection/routes.ts'
import { fundamentals } from '../features/fundamentals/routes.ts'
import { health } from '../features/health/routes.ts'
import { panels } from '../features/panels/routes.ts'
import { restatements } from '../features/restatements/routes.ts'
import { search } from '../features/search/routes.ts'
import { signals } from '../features/signals/routes.ts'
import { BodyReader } from '../http/body.ts'
import { openapi } from '../http/docs/openapi.ts'
import { docs } from '../http/docs/routes.ts'
import { idleSeconds, routeMaker } from '../http/handler.ts'
import { unrouted } from '../http/notFound.ts'
import { BodyCache } from '../http/responseCache.ts'
import type { Services } from '../http/services.ts'

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
