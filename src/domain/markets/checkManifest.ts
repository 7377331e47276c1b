import { isIsoDate } from '../../model/date.ts'
import type { Manifest, TradingCosts } from '../../model/market.ts'
import { canonicalMetrics, ratioMetrics } from '../../model/metric.ts'
import { flowsOf } from './listMetrics.ts'

/** What a schema cannot say about a manifest. Faults name file and path. */
export function checkManifest(file: string, manifest: Manifest, faults: string[]): void {
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
      `${manifest.issuer.example} does not match a group of ${manifest.issuer.pattern}`,
    )
  }
  const shared = new Set([...canonicalMetrics, ...ratioMetrics].map(metric => metric.name))
  const taken = new Set(shared)
  manifest.metrics.forEach((metric, index) => {
    if (taken.has(metric.name)) fault(`/metrics/${index}/name`, `${metric.name} is taken`)
    taken.add(metric.name)
  })
  manifest.unstated.forEach((name, index) => {
    if (!shared.has(name)) fault(`/unstated/${index}`, `${name} is no canonical metric or ratio`)
  })
  const flows = flowsOf(manifest)
  manifest.year_to_date.forEach((name, index) => {
    if (!flows.some(flow => flow.name === name))
      fault(`/year_to_date/${index}`, `${name} is no flow of this market`)
  })
  for (const name of Object.keys(manifest.absences)) {
    if (!taken.has(name)) fault(`/absences/${name}`, 'no metric of this market')
  }
  if (!URL.canParse(manifest.sync.address)) fault('/sync/address', `${manifest.sync.address} is no URL`)
  const interval = 1 / manifest.sync.requests_per_second
  if (interval > 3_600) fault('/sync/requests_per_second', 'a request an hour is the least')
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

export function checkCosts(file: string, costs: TradingCosts, faults: string[]): void {
  const sum = costs.components.reduce((total, part) => total + part.bps * (part.side === 'both' ? 2 : 1), 0)
  if (Math.abs(sum - costs.round_trip_bps) > 1e-9) {
    faults.push(
      `${file}: /costs/round_trip_bps: ${costs.round_trip_bps} is not the sum of its components, ${sum}`,
    )
  }
  costs.components.forEach((part, index) => {
    const path = `${file}: /costs/components/${index}`
    if (!isIsoDate(part.date)) faults.push(`${path}/date: ${part.date} is no day`)
    const saysAssumption = /^assumption\b/i.test(part.source)
    if (saysAssumption !== (part.kind === 'assumption')) {
      faults.push(`${path}/source: opens with "Assumption" exactly where kind is assumption`)
    }
  })
}
