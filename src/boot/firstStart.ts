import { createKey } from '../access/keys.ts'
import { listKeys } from '../access/queries.ts'
import type { IsoDate } from '../dates.ts'
import { loadSignalsSample } from '../features/signals/import/sample.ts'
import { loadSample } from '../ingest/sample/loadSample.ts'
import { beginSampleLoad, finishSampleLoad } from '../ingest/sample/queries.ts'
import type { Sql } from '../postgres/client.ts'

const ownerEmail = 'owner@asfiled.example'

/** Puts the shipped sample into an empty database. A first start that was killed half-way is completed by the next. */
export async function prepareFirstStart(sql: Sql, announce: (line: string) => void): Promise<void> {
  if (!(await beginSampleLoad(sql))) return
  announce('Loading the sample: companies of eight markets, two horizons of signals ...')
  await loadSample(sql)
  await loadSignalsSample(sql)
  await finishSampleLoad(sql)
}

/** Makes the owner's key where there is no key at all and returns it. Called when nothing can keep it from being
 * shown any more: it is not told again. */
export async function makeOwnerKey(sql: Sql, today: () => IsoDate): Promise<string | null> {
  if ((await listKeys(sql)).length > 0) return null
  const order = { email: ownerEmail, licence: 'redistribution', quant: true, environment: 'live' } as const
  return (await createKey({ sql, today }, order)).key
}
