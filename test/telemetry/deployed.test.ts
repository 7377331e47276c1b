import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseFigures } from '../../src/telemetry/databaseFigures.ts'
import { EventLoopDelay } from '../../src/telemetry/processFigures.ts'
import { makeRegistry } from '../../src/telemetry/registry.ts'
import { RequestCounts } from '../../src/telemetry/requestCounts.ts'
import { testDatabase } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'

const root = resolve(import.meta.dir, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Exposed {
  readonly name: string
  readonly help: string
  readonly type: string
}

/** The metrics of a server, as its registry describes them, and the text of a scrape. */
async function exposed(): Promise<{ metrics: Exposed[]; text: string }> {
  const database = await testDatabase()
  const eventLoop = new EventLoopDelay()
  try {
    const requests = new RequestCounts()
    requests.countRequest('/api/v1/fundamentals', 200, 1)
    requests.countError('internal')
    const registry = makeRegistry({
      requests,
      service: {
        pools: () => ({ main: [database.sql] }),
        threads: () => ({ threads: 2, running: 1, waiting: 3, busySeconds: 4 }),
        answers: () => ({ hits: 1, misses: 2 }),
        dataVersion: () => 1,
      },
      process: { version: '0', role: 'server', dataDir: root, eventLoop, startedMs: 0 },
      database: new DatabaseFigures(database.sql, ['US', 'JP'], () => performance.now()),
    })
    // Until the monitor has seen the event loop.
    await Bun.sleep(100)
    const text = await registry.metrics()
    const metrics = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
      ([, name, help, type]) => ({
        name,
        help,
        type,
      }),
    )
    return { metrics, text }
  } finally {
    eventLoop.close()
    await database.close()
  }
}

const { metrics, text } = await exposed()

/** Names of metrics in an expression, without the suffix that histograms add (`_bucket`, `_sum`, `_count`). */
function namesIn(expression: string): string[] {
  const withoutText = expression.replaceAll(/"[^"]*"/g, '')
  const names = withoutText.match(/\b(?:asfiled|process)_[a-z_]+\b/g) ?? []
  const histograms = new Set(metrics.filter(({ type }) => type === 'histogram').map(({ name }) => name))
  return names.map(name => {
    const base = name.replace(/_(bucket|sum|count)$/, '')
    return histograms.has(base) ? base : name
  })
}

function panelsOf(dashboard: { panels: { targets?: { expr: string }[]; title: string; id: number }[] }) {
  return dashboard.panels
}
const dashboard = JSON.parse(read('deploy/grafana/asfiled.json'))
const expressions = panelsOf(dashboard).flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const alerts = read('deploy/prometheus/alerts.yaml')
const known = new Set(metrics.map(({ name }) => name))

describe('what is deployed', () => {
  test('the dashboard and the alerts name only metrics that a server exposes, and the dashboard shows each', () => {
    const shown = new Set(expressions.flatMap(namesIn))
    const inAlerts = new Set(namesIn(alerts.replaceAll(/^\s*summary:.*$/gm, '')))
    expect(nonEmpty([...shown, ...inAlerts]).filter(name => !known.has(name))).toEqual([])
    expect(nonEmpty(known).filter(name => !shown.has(name))).toEqual([])
    expect(expressions.length).toBeGreaterThan(30)
    expect(inAlerts.size).toBeGreaterThan(10)
  })

  test('labels in the dashboard and the alerts are those that the metrics have', () => {
    const labels = new Set(['job', 'instance', 'le'])
    for (const [, inside] of text.matchAll(/^[a-z_]+\{([^}]*)\}/gm))
      for (const [, label] of inside.matchAll(/(\w+)="/g)) labels.add(label)
    const used = [...expressions, alerts].flatMap(expression => [
      ...[...expression.matchAll(/\{([^{}]*)\}/g)].flatMap(([, inside]) =>
        [...inside.matchAll(/(\w+)\s*(?:=~|!=|!~|=)\s*"/g)].map(([, label]) => label),
      ),
      ...[...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) =>
        list.split(',').map(one => one.trim()),
      ),
    ])
    expect(nonEmpty(used).filter(label => !labels.has(label))).toEqual([])
  })

  test('the dashboard has panels of their own ids, and no data source of one installation', () => {
    const panels = panelsOf(dashboard)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(JSON.stringify(dashboard).match(/"uid":"(?!\$\{datasource\}|asfiled")[^"]*"/g)).toBeNull()
  })

  test('the guide has each metric with the help of the registry, each alert with what to do, and none that is not', () => {
    const guide = read('docs/monitoring.md')
    const rows = [...guide.matchAll(/^\| `([a-z_]+)` \| (\w+) \| (.*?) \| (.*) \|$/gm)]
    expect(rows.map(([, name, type, , help]) => ({ name, type, help }))).toEqual(
      metrics.map(({ name, type, help }) => ({ name, type, help })),
    )
    const named = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
    expect([...guide.matchAll(/^\| `(Asfiled\w+)` \|/gm)].map(([, name]) => name)).toEqual(named)
  })

  const promtool = Bun.which('promtool')
  const run = async (input: string | null, ...args: string[]) => {
    const child = Bun.spawn([promtool ?? '', ...args], {
      cwd: join(root, 'deploy/prometheus'),
      stdin: input === null ? 'ignore' : Buffer.from(input),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const output = (
      await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    ).join('')
    return { code: await child.exited, output }
  }
  if (promtool === null)
    console.warn(
      'promtool is not installed: rules and metrics are not checked by it (apt-get install prometheus).',
    )

  test.skipIf(promtool === null)(
    'promtool accepts the metrics, the configuration and the rules, and their unit tests pass',
    async () => {
      expect(await run(text, 'check', 'metrics')).toEqual({ code: 0, output: '' })
      expect(await run(null, 'check', 'config', 'prometheus.yaml')).toMatchObject({ code: 0 })
      expect(await run(null, 'check', 'rules', 'alerts.yaml')).toMatchObject({ code: 0 })
      expect(await run(null, 'test', 'rules', 'alerts.test.yaml')).toMatchObject({ code: 0 })
      const named = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
      const tests = read('deploy/prometheus/alerts.test.yaml')
      // Each fires in one test and stays silent in another.
      for (const name of nonEmpty(named)) {
        const expected = [...tests.matchAll(new RegExp(`alertname: ${name}\\n\\s+exp_alerts:(.*)$`, 'gm'))]
        expect([
          name,
          expected.some(([, rest]) => rest === ''),
          expected.some(([, rest]) => rest === ' []'),
        ]).toEqual([name, true, true])
      }
    },
    60_000,
  )

  test.skipIf(promtool === null)(
    'promtool accepts each expression of the dashboard',
    async () => {
      const rules = expressions.map((expression, index) => ({
        record: `panel:${index}`,
        expr: expression.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
      }))
      const file = join(tmpdir(), `asfiled-panels-${process.pid}.json`)
      // JSON is YAML.
      await Bun.write(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
      try {
        expect(await run(null, 'check', 'rules', file)).toMatchObject({ code: 0 })
      } finally {
        await Bun.file(file).delete()
      }
    },
    60_000,
  )
})
