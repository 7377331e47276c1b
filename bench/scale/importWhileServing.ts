import { join } from 'node:path'
import { readDataVersion } from '../../src/postgres/snapshot.ts'
import type { RecordedAnswer } from '../httpLoad/AnswerRecord.ts'
import type { LoadOutcome } from '../httpLoad.ts'
import type { ScaleFigure } from './bars.ts'
import type { Context } from './Context.ts'
import { changedCompanies } from './changedCompanies.ts'
import type { DayOfFilings } from './dayOfFilings.ts'
import { judgeAnswers, judgeBatch, judgePage } from './judgeAnswers.ts'
import { plainCrossSection } from './plainCrossSection.ts'
import { pageQuestion, prepareImport } from './prepareImport.ts'
import { companyPath } from './reads.ts'
import { watchMarket } from './watchMarket.ts'

const root = join(import.meta.dir, '../..')
const clients = 16
const companiesOfBatch = 100
const warmUpRequests = 20_000
const mostOfImportMs = 180_000
/** The load runs so long before the import and after it. */
const leadMs = 1_000
const wrongNamed = 5

/** Clients read while `asfiled import` brings a day's filings: half of their requests name companies that it changes and
 * are never answered from memory, half name companies of all markets. What they get is compared with what plain
 * statements read before and after. */
export async function importWhileServing(context: Context): Promise<ScaleFigure[]> {
  const { say, seconds, today } = context
  const prepared = await context.withSql(sql => prepareImport(context, sql))
  const { day, judged, page, requests } = prepared
  const several = judged.slice(0, companiesOfBatch).map(({ ticker }) => ticker)
  const paths = {
    page: `/api/v1/cross-section?metric=net_income&market=US&limit=${pageQuestion(today).companies}`,
    batch: companyPath(several.join(','), 'latest'),
  }
  await context.stopServer()
  await context.server()
  const load = { connections: clients, requests }
  await context.load({ ...load, requests: requests.slice(0, warmUpRequests), ms: 2 * leadMs })
  // Answers are recorded before, too: the clients have the same work in both.
  const quiet = context.load({ ...load, ms: seconds * 1_000, record: join(context.folder, 'before') })
  await watchMarket(context, paths, quiet)
  const before = await quiet

  const record = join(context.folder, 'answers')
  const importing = importBetween(context, day)
  const busy = context.load({ ...load, ms: mostOfImportMs + 10_000, record }, importing)
  // A failure is met where it is awaited.
  busy.catch(() => {})
  const watched = await watchMarket(context, paths, importing)
  const meanwhile = await busy
  const imported = await importing

  const { changes, pageAfter, version } = await context.withSql(async sql => ({
    changes: await changedCompanies(sql, prepared),
    pageAfter: await plainCrossSection(sql, pageQuestion(today)),
    version: await readDataVersion(sql),
  }))
  const { companies } = changes
  const judgement = await judgeAnswers(recorded(record), companies, today)
  const wrong = [
    ...judgement.wrong,
    ...watched.pages.flatMap(text => judgePage(text, page, pageAfter, changes)),
    ...watched.batches.flatMap(text => judgeBatch(text, companies, today)),
  ]
  if (judgement.old === 0 || judgement.fresh === 0)
    throw new Error(`${judgement.old} old and ${judgement.fresh} new answers prove nothing`)
  if (meanwhile.lost > 0) throw new Error(`${meanwhile.lost} answers found no room and were not judged`)
  say(
    `importWhileServing: ${day.companies.length} companies filed, ${day.names.size} changed their names; data version ${prepared.version} became ${version}, and the database keeps it`,
  )
  say(
    `importWhileServing: of different answers ${judgement.old} were wholly of the data before and ${judgement.fresh} wholly of that after (${judgement.newerThanTag} of them later than their ETag says); so were ${watched.pages.length} pages of ${page.size} companies and ${watched.batches.length} batches of ${several.length}, but for ${wrong.length} mistakes`,
  )
  for (const one of wrong.slice(0, wrongNamed)) say(`importWhileServing: WRONG: ${one}`)
  for (const one of [...before.failed, ...meanwhile.failed]) say(`importWhileServing: FAILED: ${one}`)
  const named = (name: string) => `importWhileServing.${name}`
  return [
    { name: named('import'), value: imported, unit: 's', spread: `${day.companies.length} companies` },
    ...speedOf(named('before'), before),
    ...speedOf(named('meanwhile'), meanwhile),
    {
      ...{ name: named('p99_meanwhile_to_before'), value: meanwhile.p99Ms / before.p99Ms, unit: 'times' },
      most: 2,
    },
    { name: named('failed_requests'), value: before.failures + meanwhile.failures, unit: 'answers', most: 0 },
    { name: named('mixed_answers'), value: wrong.length, unit: 'answers', most: 0 },
  ]
}

/** Imports with a rest before and after. Returns how many seconds the import took. */
async function importBetween(context: Context, { paths }: DayOfFilings): Promise<number> {
  await Bun.sleep(leadMs)
  const began = performance.now()
  const child = Bun.spawn(['bun', 'src/cli.ts', 'import', 'us', ...paths], {
    ...{ cwd: root, env: context.env, stdout: 'pipe', stderr: 'pipe' },
    timeout: mostOfImportMs,
  })
  const kill = () => child.kill('SIGKILL')
  context.signal.addEventListener('abort', kill)
  const [told, complained] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const code = await child.exited
  const seconds = (performance.now() - began) / 1_000
  context.signal.removeEventListener('abort', kill)
  if (code !== 0) throw new Error(`asfiled import ended with ${code}: ${complained.slice(-500)}`)
  for (const line of told.split('\n')) if (line !== '') context.say(`importWhileServing: import: ${line}`)
  await Bun.sleep(leadMs)
  return seconds
}

async function* recorded(path: string): AsyncGenerator<RecordedAnswer, void, undefined> {
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
