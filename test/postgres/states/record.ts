import { createKey } from '../../../src/access/keys.ts'
import { openDatabase } from '../../../src/boot/database.ts'
import { prepareFirstStart } from '../../../src/boot/firstStart.ts'
import { startServer } from '../../../src/boot/startServer.ts'
import { readConfig } from '../../../src/config.ts'
import type { Sql } from '../../../src/postgres/client.ts'

/** Fills an empty database with some rows of every table, for a dump of this version's state. README.md has the steps. */

const today = () => new Date().toISOString().slice(0, 10)
const rows = Array.from({ length: 24 }, (_, n) => ({
  date: `2020-${String((n >> 1) + 1).padStart(2, '0')}-01`,
  asset: n % 2 === 0 ? 'A' : 'B',
  score: (n * 7) % 11,
  forward_return: ((n % 5) - 2) / 100,
}))

async function record(url: string): Promise<void> {
  const config = readConfig({ DATABASE_URL: url, PORT: '0', JOB_CONCURRENCY: '0', LOG_LEVEL: 'error' })
  const { sql, close } = await openDatabase(config, 0, console.log)
  await prepareFirstStart(sql, url, console.log)
  const key = await createKey(
    { sql, today },
    { email: 'ana@fund.example', licence: 'redistribution', quant: true, environment: 'test' },
  )
  const capped = await createKey(
    { sql, today },
    { email: 'bo@fund.example', licence: 'evaluation', quant: true, environment: 'test' },
  )
  const server = await startServer(config, today, console.log)
  const send = async (path: string, headers: Record<string, string>, body?: object) => {
    const response = await fetch(server.address + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  }
  const owner = { Authorization: `Bearer ${key.key}` }
  await send('/api/v1/fundamentals?ticker=AAPL', { Authorization: `Bearer ${capped.key}` })
  await send('/api/v1/panels', owner, { panel: rows })
  await send('/api/v1/backtest', { ...owner, 'Idempotency-Key': 'state' }, { panel: rows })
  await send('/api/v1/backtest', { ...owner, Prefer: 'respond-async' }, { panel: rows })
  await trim(sql)
  await fill(sql)
  await server.stop()
  // After the server has removed its own.
  await sql`insert into job_process (process_id, locks) values (gen_random_uuid(), '{state}')`
  await close()
}

/** Some rows are enough. The companies stay, with a few facts each and the filings that those name. */
async function trim(sql: Sql): Promise<void> {
  await sql`delete from signal where (date, ticker) not in (select date, ticker from signal order by date desc, ticker limit 8)`
  await sql`delete from fact where ctid not in (
    select ctid from (select ctid, row_number() over (partition by entity_id, filed > '2020-01-01' order by period_end, metric_id) as n from fact) f
    where n <= 4)`
  await sql`delete from fact_repeat where ctid not in (select ctid from fact_repeat order by entity_id, period_end, metric_id limit 6)`
  await sql`delete from filing where filing_id not in (select filing_id from fact union select filing_id from fact_repeat)`
}

/** Tables that neither the sample nor a request has filled. */
async function fill(sql: Sql): Promise<void> {
  await sql.unsafe(`
    insert into signal (date, horizon, ticker, market, predicted, source) values ('2030-01-02', 1, 'AAPL', 'US', 0.01, 'live');
    insert into signal_correction (date, horizon, ticker, market, old_predicted, new_predicted, old_actual, new_actual,
        old_source, new_source, old_recorded_at, old_resolved_at)
      select date, horizon, ticker, market, predicted, predicted / 2, actual, actual, source, source, recorded_at, resolved_at
      from signal where actual is not null limit 1;
    insert into sync_cursor values ('US', 'quarters', '2024Q1');
    insert into sync_document (market, key, revision, missing, etag, digest, path, confirmed_on)
      values ('US', 'companyfacts/320193', '2024-05-03', false, '"a"', 'b1', 'us/2024-05-03/CIK0000320193.json', '2024-05-03');
    insert into sync_file (path, market, pulled_on, bytes, subject)
      values ('us/2024-05-03/CIK0000320193.json', 'US', '2024-05-03', 1204, '320193');
    insert into import_file (content_key, name) values ('us/1', 'CIK0000320193.json');
    insert into pulled_filing (entity_id, accession, form, filed, days, figures)
      select entity_id, 'nz-1', 'return', '2024-05-03', '{2024-05-03,2024-06-01}', '[[1,1,1,null,19000,5,false]]'
      from entity where market = 'NZ';
    insert into job_share (job_id, round, place, configs, series, process_id)
      select job_id, 1, 0, '{0,1}', '\\x00', gen_random_uuid() from job limit 1;
    insert into job (job_id, key_id, state, request_id, body_format, body_query, body_bytes, submitted_data_version, finished_at)
      select '01900000-0000-7000-8000-000000000000', key_id, 'succeeded', 'state', 'json', '{}', 2, 1, now() from api_key limit 1;
    insert into job_result values ('01900000-0000-7000-8000-000000000000', '\\x00');
    insert into shared_report (digest, job_id, markets, expires_at)
      values (sha256('state'), '01900000-0000-7000-8000-000000000000', '{US}', now() + interval '90 days');
    insert into asfiled_queue._private_job_queues (queue_name) values ('state') on conflict do nothing;
    insert into asfiled_queue._private_known_crontabs values ('state', now(), now());`)
}

await record(process.argv[2] ?? '')
