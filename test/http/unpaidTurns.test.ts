import { expect, test } from 'bun:test'
import { RequestContext } from '../../src/http/context.ts'
import { UnpaidTurns } from '../../src/http/unpaidTurns.ts'
import { demoPrincipal, type Principal } from '../../src/rights/licences.ts'
import { rightsFor } from '../../src/rights/rights.ts'

/** With two processors, one of them is left to requests that are paid for. */
const oneTurn = () => new UnpaidTurns(2)
const rightsOf = rightsFor({ flagshipTickers: [] })

interface Asked {
  readonly principal?: Principal
  readonly method?: string
  readonly signal?: AbortSignal
}

function contextOf(
  address: string,
  { principal = demoPrincipal, method = 'GET', signal }: Asked = {},
): RequestContext {
  const request = new Request('http://localhost/screen', { method, signal: signal ?? null })
  const context = new RequestContext(request, null, 'id', address, 0)
  context.caller = {
    rights: rightsOf(principal),
    ownKeyId: null,
    name: 'visitor',
    subject: `page:${address}`,
    limits: { perMinute: 60, perDay: null },
  }
  return context
}

/** Asks for a turn; `names` gets the context's name when it has one. */
function ask(turns: UnpaidTurns, names: string[], name: string, context: RequestContext): Promise<void> {
  return turns.take(context).then(() => {
    names.push(name)
  })
}

test('only reading requests that nobody pays for have turns', () => {
  const turns = oneTurn()
  const paid: Principal = { ...demoPrincipal, keyId: 7, licence: 'oem' }
  const free: Principal = { ...demoPrincipal, keyId: 8, licence: 'free' }
  expect(turns.isDue(contextOf('10.0.0.1'))).toBe(true)
  expect(turns.isDue(contextOf('10.0.0.1', { method: 'HEAD' }))).toBe(true)
  expect(turns.isDue(contextOf('10.0.0.1', { method: 'POST' }))).toBe(false)
  expect(turns.isDue(contextOf('10.0.0.1', { principal: free }))).toBe(true)
  expect(turns.isDue(contextOf('10.0.0.1', { principal: { ...free, quant: true } }))).toBe(false)
  expect(turns.isDue(contextOf('10.0.0.1', { principal: paid }))).toBe(false)
})

test('the next turn begins when the one before has ended, and whoever had none comes first', async () => {
  const turns = oneTurn()
  const order: string[] = []
  const first = contextOf('10.0.0.1')
  const second = contextOf('10.0.0.1')
  const other = contextOf('10.9.0.1')
  const asked = [
    ask(turns, order, 'first', first),
    ask(turns, order, 'second', second),
    ask(turns, order, 'other', other),
  ]
  await asked[0]
  await Bun.sleep(20)
  expect(order).toEqual(['first'])
  first.endTurn?.()
  await asked[2]
  expect(order).toEqual(['first', 'other'])
  other.endTurn?.()
  await asked[1]
  second.endTurn?.()
  expect(order).toEqual(['first', 'other', 'second'])
  expect([first, second, other].map(({ endTurn }) => endTurn)).toEqual([null, null, null])
})

test('a slow request gives its turn to the next one', async () => {
  const turns = oneTurn()
  await turns.take(contextOf('10.0.0.1'))
  const waiting = contextOf('10.9.0.1')
  await turns.take(waiting)
  expect(waiting.endTurn).not.toBeNull()
})

test('a client that leaves while it waits leaves its place to others', async () => {
  const turns = oneTurn()
  const holder = contextOf('10.0.0.1')
  await turns.take(holder)
  const client = new AbortController()
  const gone = turns.take(contextOf('10.9.0.1', { signal: client.signal }))
  client.abort(new Error('The client is gone.'))
  await expect(gone).rejects.toThrow('The client is gone.')
  holder.endTurn?.()
  const next = contextOf('10.8.0.1')
  await turns.take(next)
  expect(next.endTurn).not.toBeNull()
})

test('one address may not fill the queue', async () => {
  const turns = oneTurn()
  const clients = new AbortController()
  const take = (address: string) => turns.take(contextOf(address, { signal: clients.signal }))
  const asked = Array.from({ length: 128 }, () => take('10.0.0.1').catch(() => {}))
  await expect(take('10.0.0.1')).rejects.toThrow(
    '128 requests of your address with the demo key are computed or wait',
  )
  const other = take('10.9.0.1').catch(() => {})
  clients.abort()
  await Promise.all([...asked, other])
})
