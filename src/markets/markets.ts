import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isIsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { shippedManifests } from './codes.ts'
import { type CostTable, costTable } from './costs.ts'
import { DefaultManifest, type Manifest, ManifestFile, type TradingCosts } from './manifest.ts'
import {
  canonicalMetrics,
  computedMetrics,
  definitionOf,
  type Metric,
  ratioMetrics,
  sharedMetrics,
  yearToDate,
} from './metrics.ts'
import { SessionFile, Sessions } from './sessions.ts'

export interface Markets {
  readonly codes: readonly string[]
  readonly manifests: readonly Manifest[]
  /** Every metric of every market by name, in the order of the coverage index. */
  readonly metrics: ReadonlyMap<string, ServedMetric>
  readonly costs: CostTable
  /** By market. */
  readonly sessions: ReadonlyMap<string, Sessions>
  get(code: string): Manifest | undefined
}

const defaultFile = 'default.yaml'

/** Reads and checks all manifests. Reports all faults at once, each with its file and path. */
export async function loadMarkets(folder: URL | string = shippedManifests): Promise<Markets> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder
  const files = (await readdir(path)).filter(name => name.endsWith('.yaml')).sort()
  const faults: string[] = []
  const manifests: ManifestFile[] = []
  let fallback: DefaultManifest | undefined
  for (const file of files) {
    const text = await Bun.file(`${path.replace(/\/$/, '')}/${file}`).text()
    if (file === defaultFile) {
      fallback = parse(file, text, DefaultManifest, faults)
      if (fallback) checkCosts(file, fallback.costs, faults)
      continue
    }
    const manifest = parse(file, text, ManifestFile, faults)
    if (manifest === undefined) continue
    checkManifest(file, manifest, faults)
    manifests.push(manifest)
  }
  if (!files.includes(defaultFile))
    faults.push(`${defaultFile}: missing; it must define the costs of rows without a market`)
  const sessions = new Map<string, Sessions>()
  for (const { code, calendar } of manifests) {
    const read = calendar.sessions === undefined ? null : await readSessions(path, calendar, faults)
    if (read !== null) sessions.set(code, read)
  }
  if (faults.length > 0 || fallback === undefined) {
    throw new Failure('internal', `The manifests are invalid:\n  ${faults.join('\n  ')}`)
  }
  return assemble(manifests, fallback, sessions)
}

async function readSessions(
  path: string,
  { sessions: exchange, timezone }: Manifest['calendar'],
  faults: string[],
): Promise<Sessions | null> {
  const name = `sessions/${exchange}.json`
  const file = Bun.file(`${path.replace(/\/$/, '')}/${name}`)
  if (!(await file.exists())) {
    faults.push(`${name}: missing; a manifest names this exchange`)
    return null
  }
  const read = parse(name, await file.text(), SessionFile, faults)
  if (read === undefined) return null
  if (read.timezone === timezone) return new Sessions(read)
  faults.push(`${name}: /timezone: ${read.timezone} is not the zone of its manifest, ${timezone}`)
  return null
}

function assemble(
  files: ManifestFile[],
  fallback: DefaultManifest,
  sessions: ReadonlyMap<string, Sessions>,
): Markets {
  files.sort((a, b) => (a.code < b.code ? -1 : 1))
  const manifests = files.map(file => ({ ...file, metrics: file.metrics.map(definitionOf) }))
  const byCode = new Map(manifests.map(manifest => [manifest.code, manifest]))
  return Object.freeze({
    codes: manifests.map(manifest => manifest.code),
    manifests,
    metrics: listMetrics(files),
    costs: costTable(manifests, fallback),
    sessions,
    get: (code: string) => byCode.get(code),
  })
}

function parse<S extends TSchema>(
  file: string,
  text: string,
  schema: S,
  faults: string[],
): Static<S> | undefined {
  let parsed: unknown
  try {
    parsed = Bun.YAML.parse(text)
  } catch (error) {
    faults.push(`${file}: not YAML: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
  if (Value.Check(schema, parsed)) return parsed
  for (const fault of Value.Errors(schema, parsed)) {
    faults.push(`${file}: ${fault.path || '/'}: ${fault.message}`)
  }
  return undefined
}

/** Checks what a schema cannot express. */
function checkManifest(file: string, manifest: ManifestFile, faults: string[]): void {
  const fault = (path: string, message: string) => faults.push(`${file}: ${path}: ${message}`)
  if (file !== `${manifest.code.toLowerCase()}.yaml`) {
    fault('/code', `${manifest.code} belongs in ${manifest.code.toLowerCase()}.yaml`)
  }
  const idPattern = compile(manifest.id.pattern, message => fault('/id/pattern', message))
  if (idPattern && !idPattern.test(manifest.id.example)) {
    fault('/id/example', `${manifest.id.example} does not match ${manifest.id.pattern}`)
  }
  const issuerPattern = compile(manifest.issuer.pattern, message => fault('/issuer/pattern', message))
  if (issuerPattern && issuerPattern.exec(manifest.issuer.example)?.[1] === undefined) {
    fault(
      '/issuer/example',
      `${manifest.issuer.example} does not match ${manifest.issuer.pattern} with a group`,
    )
  }
  const shared = new Set(sharedMetrics.map(metric => metric.name))
  const used = new Set(shared)
  manifest.metrics.forEach((metric, index) => {
    if (used.has(metric.name)) fault(`/metrics/${index}/name`, `${metric.name} is already used`)
    used.add(metric.name)
  })
  manifest.unstated.forEach((name, index) => {
    if (!shared.has(name)) fault(`/unstated/${index}`, `${name} is not a canonical metric or ratio`)
  })
  const flows = flowsOf(manifest)
  manifest.year_to_date.forEach((name, index) => {
    if (!flows.some(flow => flow.name === name))
      fault(`/year_to_date/${index}`, `${name} is not a flow of this market`)
  })
  for (const name of Object.keys(manifest.absences)) {
    if (!used.has(name)) fault(`/absences/${name}`, 'not a metric of this market')
  }
  if (!URL.canParse(manifest.sync.address)) fault('/sync/address', `${manifest.sync.address} is not a URL`)
  const interval = 1 / manifest.sync.requests_per_second
  if (interval > 3_600) fault('/sync/requests_per_second', 'must be at least one request per hour')
  checkCosts(file, manifest.costs, faults)
}

function compile(pattern: string, report: (message: string) => void): RegExp | undefined {
  try {
    return new RegExp(pattern)
  } catch (error) {
    report(error instanceof Error ? error.message : String(error))
    return undefined
  }
}

function checkCosts(file: string, costs: TradingCosts, faults: string[]): void {
  const sum = costs.components.reduce((total, part) => total + part.bps * (part.side === 'both' ? 2 : 1), 0)
  if (Math.abs(sum - costs.round_trip_bps) > 1e-9) {
    faults.push(
      `${file}: /costs/round_trip_bps: ${costs.round_trip_bps} is not the sum of its components, ${sum}`,
    )
  }
  costs.components.forEach((part, index) => {
    const path = `${file}: /costs/components/${index}`
    if (!isIsoDate(part.date)) faults.push(`${path}/date: ${part.date} is not a valid date`)
    const startsWithAssumption = /^assumption\b/i.test(part.source)
    if (startsWithAssumption !== (part.kind === 'assumption')) {
      faults.push(`${path}/source: must start with "Assumption" if and only if kind is assumption`)
    }
  })
}

export interface ServedMetric extends Metric {
  /** Codes of the markets that report it. */
  readonly markets: readonly string[]
}

const stated = (metrics: readonly Metric[], manifest: ManifestFile) =>
  metrics.filter(metric => !manifest.unstated.includes(metric.name))

const flowsOf = (manifest: ManifestFile) =>
  [...stated(canonicalMetrics, manifest), ...manifest.metrics].filter(metric => metric.kind === 'flow')

/** The computed metrics for which a market reports all components, or has them computed. */
function computedOf(manifest: ManifestFile): readonly Metric[] {
  const known = new Set([...stated(canonicalMetrics, manifest), ...manifest.metrics].map(({ name }) => name))
  const found: Metric[] = []
  for (const metric of computedMetrics) {
    if (!metric.components.every(component => known.has(component))) continue
    known.add(metric.name)
    found.push(metric)
  }
  return found
}

/**
 * In the order of the coverage index: canonical metrics, those of single markets, computed ones, ratios,
 * year-to-date figures.
 */
function listMetrics(manifests: readonly ManifestFile[]): ReadonlyMap<string, ServedMetric> {
  const found = new Map<string, { definition: Metric; markets: string[] }>()
  const add = (definition: Metric, market: string) => {
    const entry = found.get(definition.name) ?? { definition, markets: [] }
    if (!entry.markets.includes(market)) entry.markets.push(market)
    found.set(definition.name, entry)
  }
  const addAll = (list: (manifest: ManifestFile) => readonly Metric[]) => {
    for (const manifest of manifests) for (const metric of list(manifest)) add(metric, manifest.code)
  }
  addAll(manifest => stated(canonicalMetrics, manifest))
  addAll(manifest => manifest.metrics)
  addAll(computedOf)
  addAll(manifest => stated(ratioMetrics, manifest))
  addAll(manifest =>
    flowsOf(manifest)
      .filter(flow => manifest.year_to_date.includes(flow.name))
      .map(yearToDate),
  )
  return new Map([...found].map(([name, { definition, markets }]) => [name, { ...definition, markets }]))
}
