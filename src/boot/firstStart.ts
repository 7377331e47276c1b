import { createKey } from '../access/keys.ts'
import { listKeys } from '../access/queries.ts'
import type { IsoDate } from '../dates.ts'
import { loadSignalsSample } from '../features/signals/import/sample.ts'
import { loadSample } from '../ingest/sample/loadSample.ts'
import { beginSampleLoad, finishSampleLoad } from '../ingest/store/importQueries.ts'
import type { Sql } from '../postgres/client.ts'

const ownerEmail = 'owner@asfiled.example'

/** Loads the shipped sample into an empty database. The next start completes one that was killed. */
export async function prepareFirstStart(sql: Sql, announce: (line: string) => void): Promise<void> {
  if (!(await beginSampleLoad(sql))) return
  announce('Loading the sample: companies of eight markets, two horizons of signals ...')
  await loadSample(sql)
  await loadSignalsSample(sql)
  await finishSampleLoad(sql)
}

/** Creates the owner's key if no key exists, and returns it. Called last: the key cannot be shown again, so nothing may fail
 * between here and the banner. */
export async function makeOwnerKey(sql: Sql, today: () => IsoDate): Promise<string | null> {
  if ((await listKeys(sql)).length > 0) return null
  const order = { email: ownerEmail, licence: 'redistribution', quant: true, environment: 'live' } as const
  return (await createKey({ sql, today }, order)).key
}
