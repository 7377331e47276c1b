import { createKey } from '../domain/access/createKey.ts'
import { loadSample } from '../domain/ingest/loadSample.ts'
import { loadSignalsSample } from '../domain/signals/loadSignalsSample.ts'
import type { IsoDate } from '../model/date.ts'
import type { Sql } from '../store/database.ts'
import { listKeys } from '../store/keys/listKeys.ts'
import { beginSampleLoad, finishSampleLoad } from '../store/sampleLoad.ts'

const ownerEmail = 'owner@asfiled.example'

/** Puts the shipped sample into an empty database and makes the owner's key where there is no key at all. Returns
 * that key. A first start that was killed half-way is completed by the next. */
export async function prepareFirstStart(
  sql: Sql,
  today: () => IsoDate,
  announce: (line: string) => void,
): Promise<string | null> {
  if (await beginSampleLoad(sql)) {
    announce('Loading the sample: four companies, two horizons of signals ...')
    await loadSample(sql)
    await loadSignalsSample(sql)
    await finishSampleLoad(sql)
  }
  if ((await listKeys(sql)).length > 0) return null
  const order = { email: ownerEmail, licence: 'redistribution', quant: true, environment: 'live' } as const
  return (await createKey({ sql, today }, order)).key
}
