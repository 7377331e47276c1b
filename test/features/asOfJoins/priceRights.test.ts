import { expect, test } from 'bun:test'
import { choosePrices, usableSetsOfLicence } from '../../../src/features/asOfJoins/valuationPrices.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { setReadRoute } from '../../../src/postgres/readRoute.ts'
import { withSnapshot } from '../../../src/postgres/snapshot.ts'
import { Rights } from '../../../src/rights/rights.ts'
import { freshDatabases } from '../../freshDatabases.ts'

const fresh = freshDatabases()
const rights = new Rights({ keyId: 7, licence: 'personal', quant: false, entityCap: null, bulk: false })

async function storeSet(sql: Sql, access: 'private' | 'licence') {
  await sql`
    insert into price_set (name, currency, basis, access, licences)
    values ('daily', 'USD', 'raw', ${access}, ${access === 'licence' ? ['personal'] : []}::text[])`
  await sql`
    insert into price_import (
      price_set_id, data_version, basis_day, file, known, rows_stored, states_splits, states_dividends, states_delistings)
    select price_set_id, (select version from data_version), '2024-01-02', 'a.csv', 'date', 1, true, true, true from price_set`
}

test('a right that was withdrawn ends at once, although the replica still has it', async () => {
  const [replica, primary] = [await fresh(), await fresh()]
  await storeSet(replica, 'licence')
  await storeSet(primary, 'private')
  expect((await choosePrices(replica, rights, 'daily', 'market_cap')).name).toBe('daily')
  expect(await usableSetsOfLicence(replica, rights)).toHaveLength(1)
  setReadRoute(replica, { primary, snapshot: work => withSnapshot(primary, work), seen: () => {} })
  for (const name of ['daily', null])
    await expect(choosePrices(replica, rights, name, 'market_cap')).rejects.toMatchObject({
      code: 'parameter_invalid',
      details: { param: 'prices' },
    })
  expect(await usableSetsOfLicence(replica, rights)).toEqual([])
})
