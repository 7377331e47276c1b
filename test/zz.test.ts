import { test } from 'bun:test'
import { freshDatabases } from './freshDatabases.ts'
import { importWhole, realPackages } from './features/statements/importWhole.ts'
import { testServer } from './http/testServer.ts'
import { sellKey } from './http/callers.ts'
const fresh = freshDatabases()
test('x', async () => {
  const sql = await fresh()
  await importWhole(sql, (await realPackages())!)
  const server = await testServer(sql)
  const Authorization = await sellKey(sql, { licence: 'personal' })
  console.log(String(Authorization).slice(0,12))
  const ask = async (p: string) => { const t=performance.now(); const r = await fetch(server.url + '/api/v1/' + p, { headers: { Authorization: `Bearer ${Authorization}` } }); const x = await r.text(); console.log(p, r.status, (performance.now()-t).toFixed(1), x.slice(0, 1800)); return x }
  await ask('reported?ticker=NFLX&tag=us-gaap:Revenues&dimensions=all&limit=4')
  await ask('reported?ticker=NFLX&tag=us-gaap:NetIncomeLoss&format=csv')
  await ask('reported?ticker=AAPL&tag=us-gaap:NetIncomeLos')
  await ask('segments?ticker=AAPL&metric=revenue&axis=product&format=csv')
  await ask('segments?ticker=AAPL&metric=revenue&axis=segment&fp=Q2&fy=2025&format=csv')
  await ask('segments?ticker=MSFT&metric=revenue&axis=geography&format=csv')
  await ask('segments?ticker=MSFT&metric=revenue&axis=segment')
  await ask('segments?ticker=NFLX&metric=revenue&axis=geography&format=csv')
  await server.stop()
}, 60000)
