import { test } from 'bun:test'
import { freshDatabases } from './freshDatabases.ts'
import { importWhole, realPackages, realDataSet } from './features/statements/importWhole.ts'
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
  await ask('statements?ticker=AAPL&statement=income')
  await ask('statements?ticker=AAPL&statement=balance&fp=Q2&fy=2025')
  await ask('statements?ticker=NFLX&statement=cash_flow&fp=FY&format=csv')
  await ask('statements?ticker=NFLX&statement=income&fp=FY&as_of=2020-01-01&view=as_filed')
  await ask('statements?ticker=NFLX&statement=equity&fp=FY&format=csv')
  await server.stop()
}, 60000)
