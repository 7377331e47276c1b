import type { Logger } from 'pino'
import packageFile from '../../package.json'
import type { Config } from '../config.ts'
import { Failure } from '../errors.ts'
import { capConnections } from '../http/connections.ts'
import { connect } from '../postgres/client.ts'
import { DatabaseFigures } from '../telemetry/databaseFigures.ts'
import { EventLoopDelay } from '../telemetry/processFigures.ts'
import { Exposition, makeRegistry } from '../telemetry/registry.ts'
import type { RequestCounts } from '../telemetry/requestCounts.ts'
import type { ServiceParts } from '../telemetry/serviceFigures.ts'

interface MetricsParts {
  readonly config: Config
  readonly url: string
  readonly role: 'server' | 'worker'
  readonly markets: readonly string[]
  readonly requests: RequestCounts | null
  readonly service: ServiceParts
  readonly log: Logger
  readonly announce: (line: string) => void
}

/** A separate pool, so that a scrape neither waits for requests nor takes their connections. It has one
 * connection per statement of a scrape. */
const connections = 3
/** Longer than a scrape waits, so the next scrape may find the result. */
const statementTimeoutMs = 4_000
const idleSeconds = 10
const maxConnections = 256

/** Serves the metrics of this process at /metrics on METRICS_PORT, which serves nothing else. */
export function startMetrics(parts: MetricsParts, opened: AsyncDisposableStack): void {
  const { config, url, role, markets, requests, service, log, announce } = parts
  if (config.metricsPort === null) return
  const elapsedMs = () => performance.now()
  const sql = connect({ url, connections, statementTimeoutMs, applicationName: 'asfiled-metrics' })
  opened.defer(() => sql.end({ timeout: 1 }))
  const eventLoop = new EventLoopDelay()
  opened.defer(async () => eventLoop.close())
  const registry = makeRegistry({
    requests,
    service,
    process: {
      version: packageFile.version,
      role,
      dataDir: config.dataDir,
      eventLoop,
      startedMs: Date.now() - elapsedMs(),
    },
    database: new DatabaseFigures(sql, markets, elapsedMs),
  })
  const exposition = new Exposition(registry, elapsedMs)
  const server = listen(config.metricsHost, config.metricsPort, request => answer(exposition, request, log))
  opened.defer(() => server.stop(true))
  const port = server.port ?? config.metricsPort
  const caps = { total: maxConnections, perAddress: maxConnections }
  const stopCaps = capConnections({ port, caps, trustedProxies: [], log })
  opened.defer(async () => stopCaps())
  const host = config.metricsHost.includes(':') ? `[${config.metricsHost}]` : config.metricsHost
  announce(`metrics for Prometheus at http://${host}:${port}/metrics`)
}

function listen(hostname: string, port: number, fetch: (request: Request) => Response | Promise<Response>) {
  try {
    // Request bodies are meaningless here; Bun answers a longer one with 413.
    return Bun.serve({
      hostname,
      port,
      reusePort: false,
      idleTimeout: idleSeconds,
      maxRequestBodySize: 1_024,
      fetch,
    })
  } catch (cause) {
    throw new Failure(
      'conflict',
      `Could not listen on ${hostname}:${port} for metrics. Another process may use this port (a server and a worker on one machine need one each), or ${hostname} is not an address of this machine. Set METRICS_PORT to a free port of such an address, or omit it to show no metrics.`,
      { cause },
    )
  }
}

const noStore = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

async function answer(exposition: Exposition, request: Request, log: Logger): Promise<Response> {
  const headers = { ...noStore, 'Content-Type': 'text/plain; charset=utf-8' }
  if (new URL(request.url).pathname !== '/metrics')
    return new Response('Only /metrics is here.\n', { status: 404, headers })
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return new Response('Send GET.\n', { status: 405, headers: { ...headers, Allow: 'GET, HEAD' } })
  try {
    const text = await exposition.text()
    return new Response(text, { headers: { ...noStore, 'Content-Type': exposition.contentType } })
  } catch (error) {
    log.error({ err: error }, 'The metrics could not be read.')
    return new Response('The metrics could not be read; the log says why.\n', { status: 500, headers })
  }
}
