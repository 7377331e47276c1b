import { join } from 'node:path'
import { readDataVersion } from '../../src/postgres/dataVersion.ts'
import type { RecordedResponse } from '../httpLoad/responseRecorder.ts'
import type { LoadOutcome } from '../httpLoad.ts'
import type { ScaleFigure } from './bounds.ts'
import { changedCompanies } from './changedCompanies.ts'
import { checkBatch, checkPage, checkResponses } from './checkResponses.ts'
import type { Context } from './context.ts'
import type { DayOfFilings } from './dayOfFilings.ts'
import { plainCrossSection } from './plainCrossSection.ts'
import { pageQuery, prepareImport } from './prepareImport.ts'
import { companyPath } from './reads.ts'
import { watchMarket } from './watchMarket.ts'

const root = join(import.meta.dir, '../..')
/** Clients of the load that measures the server's capacity. */
const clients = 16
const capacityMs = 5_000
/** Requests arrive at this fraction of the server's capacity. */
const arrivingShare = 0.3
/** Connections for the arriving requests. As long as the server keeps up, they are never all busy at once. */
const arrivingClients = 64
const companiesOfBatch = 100
const warmUpRequests = 20_000
const importTimeoutMs = 180_000
/** The load starts this long before the import and ends this long after it. */
const leadMs = 1_000
const maxListedErrors = 5

/** Sends requests at a fixed rate, first to an idle server and then while `asfiled import` imports a day's filings. Clients
 * that waited for each response before sending the next request would send fewer requests while the server is slow, and so
 * hide the slowness. Half of the requests are for companies that the import changes, and are never cached; the other half
 * are for companies of all markets. The responses are compared with plain queries from before and after the import. */
export async function importWhileServing(context: Context): Promise<ScaleFigure[]> {
  const { log, seconds, today } = context
  const prepared = await context.withSql(sql => prepareImport(context, sql))
  const { day, checked, page, requests } = prepared
  const half = Math.floor(requests.length / 2)
  const lastQuarter = Math.floor(requests.length * 0.75)
  const tickers = checked.slice(0, companiesOfBatch).map(({ ticker }) => ticker)
  const paths = {
    page: `/api/v1/cross-section?metric=net_income&market=US&limit=${pageQuery(today).companies}`,
    batch: companyPath(tickers.join(','), 'latest'),
  }
  await context.stopServer()
  await context.server()
  const first = { connections: clients, requests: requests.slice(0, warmUpRequests) }
  await context.load({ ...first, ms: 2 * leadMs })
  const capacity = await context.load({
    ...first,
    requests: requests.slice(warmUpRequests, half),
    ms: capacityMs,
  })
  const arrivalsPerSecond = Math.max(1, Math.round(arrivingShare * capacity.perSecond))
  log(
    `importWhileServing: ${Math.round(capacity.perSecond)} requests/s with ${clients} clients; ${arrivalsPerSecond} arrive per second`,
  )
  const load = {
    connections: arrivingClients,
    arrivalsPerSecond,
    requests: requests.slice(half, lastQuarter),
  }
  // Records the responses of this load as well, so that the clients do the same work in both loads.
  const baseline = context.load({ ...load, ms: seconds * 1_000, record: join(context.folder, 'before') })
  await watchMarket(context, paths, baseline)
  const before = await baseline

  const record = join(context.folder, 'answers')
  const importing = importBetween(context, day)
  // These requests are new: the responses to the earlier ones are in the server's memory.
  const rest = requests.slice(lastQuarter)
  const busy = context.load({ ...load, requests: rest, ms: importTimeoutMs + 10_000, record }, importing)
  // The rejection is handled at `await busy`; without this it would be unhandled until then.
  busy.catch(() => {})
  const watched = await watchMarket(context, paths, importing)
  const meanwhile = await busy
  const imported = await importing

  const { changes, pageAfter, version } = await context.withSql(async sql => ({
    changes: await changedCompanies(sql, prepared),
    pageAfter: await plainCrossSection(sql, pageQuery(today)),
    version: await readDataVersion(sql),
  }))
  const { companies } = changes
  const report = await checkResponses(recorded(record), companies, today)
  const wrong = [
    ...report.wrong,
    ...watched.pages.flatMap(text => checkPage(text, page, pageAfter, changes)),
    ...watched.batches.flatMap(text => checkBatch(text, companies, today)),
  ]
  if (report.old === 0 || report.fresh === 0)
    throw new Error(`${report.old} old and ${report.fresh} new responses prove nothing`)
  if (meanwhile.notRecorded > 0)
    throw new Error(`${meanwhile.notRecorded} responses exceeded the recorder and were not checked`)
  log(
    `importWhileServing: ${day.companies.length} companies filed, ${day.names.size} changed their names; the data version went from ${prepared.version} to ${version}, and the database keeps these filings`,
  )
  log(
    `importWhileServing: of the different responses ${report.old} have only data from before and ${report.fresh} only data from after (${report.newerThanTag} of them newer than their ETag); ${watched.pages.length} pages of ${page.size} companies and ${watched.batches.length} batches of ${tickers.length} were also checked; ${wrong.length} errors`,
  )
  for (const one of wrong.slice(0, maxListedErrors)) log(`importWhileServing: WRONG: ${one}`)
  for (const one of [...before.failed, ...meanwhile.failed]) log(`importWhileServing: FAILED: ${one}`)
  const named = (name: string) => `importWhileServing.${name}`
  return [
    { name: named('import'), value: imported, unit: 's', spread: `${day.companies.length} companies` },
    ...speedOf(named('before'), before),
    ...speedOf(named('meanwhile'), meanwhile),
    {
      name: named('p99_meanwhile_to_before'),
      value: meanwhile.p99Ms / before.p99Ms,
      unit: 'times',
      max: 1.5,
    },
    { name: named('failed_requests'), value: before.failures + meanwhile.failures, unit: 'answers', max: 0 },
    { name: named('mixed_answers'), value: wrong.length, unit: 'answers', max: 0 },
  ]
}

/** Runs the import with a pause before and after it. Returns the duration of the import in seconds. */
async function importBetween(context: Context, { paths }: DayOfFilings): Promise<number> {
  await Bun.sleep(leadMs)
  const began = performance.now()
  const child = Bun.spawn(['bun', 'src/cli.ts', 'import', 'us', ...paths], {
    cwd: root,
    env: context.env,
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: importTimeoutMs,
  })
  const kill = () => child.kill('SIGKILL')
  context.signal.addEventListener('abort', kill)
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const code = await child.exited
  const seconds = (performance.now() - began) / 1_000
  context.signal.removeEventListener('abort', kill)
  if (code !== 0) throw new Error(`asfiled import ended with ${code}: ${errors.slice(-500)}`)
  for (const line of output.split('\n')) if (line !== '') context.log(`importWhileServing: import: ${line}`)
  await Bun.sleep(leadMs)
  return seconds
}

async function* recorded(path: string): AsyncGenerator<RecordedResponse, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of Bun.file(path).stream()) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line)
  }
}

function speedOf(name: string, { requests, perSecond, p50Ms, p99Ms, maxMs }: LoadOutcome): ScaleFigure[] {
  const spread = `${requests.toLocaleString('en')} requests, ${Math.round(perSecond).toLocaleString('en')}/s`
  return [
    { name: `${name}_p50`, value: p50Ms, unit: 'ms', spread },
    { name: `${name}_p99`, value: p99Ms, unit: 'ms' },
    { name: `${name}_max`, value: maxMs, unit: 'ms' },
  ]
}
