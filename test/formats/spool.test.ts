import { expect, test } from 'bun:test'
import { SpoolBudget, spool } from '../../src/formats/spool.ts'

const chunkBytes = 100_000

function source(chunks: number) {
  const state = { read: 0, ended: false }
  async function* bytes() {
    try {
      for (; state.read < chunks; state.read++) yield new Uint8Array(chunkBytes).fill(state.read)
    } finally {
      state.ended = true
    }
  }
  return { state, bytes: bytes() }
}

const settle = () => Bun.sleep(20)

test('all bytes arrive in order', async () => {
  const { bytes } = source(50)
  const body = await new Response(spool(bytes, () => {}, new SpoolBudget(0))).bytes()
  expect(body.length).toBe(50 * chunkBytes)
  for (let i = 0; i < 50; i++) expect(body[i * chunkBytes]).toBe(i)
})

test('a slow client does not delay reading while the budget lasts', async () => {
  const { state, bytes } = source(50)
  const budget = new SpoolBudget(60 * chunkBytes)
  const body = spool(bytes, () => {}, budget)
  await settle()
  expect(state).toEqual({ read: 50, ended: true })
  expect(budget.usedBytes).toBe(50 * chunkBytes)
  expect((await new Response(body).bytes()).length).toBe(50 * chunkBytes)
  expect(budget.usedBytes).toBe(0)
})

test('reading pauses when the budget is used up, and continues when the client reads', async () => {
  const { state, bytes } = source(50)
  const budget = new SpoolBudget(0)
  const body = spool(bytes, () => {}, budget)
  await settle()
  expect(state.read).toBeLessThan(5)
  expect(budget.usedBytes).toBeLessThan(400_000)
  expect((await new Response(body).bytes()).length).toBe(50 * chunkBytes)
  expect(budget.usedBytes).toBe(0)
})

test('a client that stops reading loses its stream, and the source is closed', async () => {
  const { state, bytes } = source(50)
  const budget = new SpoolBudget(0)
  let stopped = false
  const body = spool(
    bytes,
    () => {
      stopped = true
    },
    budget,
    10,
  )
  await Bun.sleep(60)
  expect(state.ended).toBe(true)
  expect(stopped).toBe(true)
  await expect(new Response(body).bytes()).rejects.toThrow('stopped reading')
  expect(budget.usedBytes).toBe(0)
})

test('a client that disconnects closes the source and frees its buffer', async () => {
  const { state, bytes } = source(50)
  const budget = new SpoolBudget(0)
  const reader = spool(bytes, () => {}, budget).getReader()
  await reader.read()
  await reader.cancel()
  await settle()
  expect(state.ended).toBe(true)
  expect(budget.usedBytes).toBe(0)
})

test('a failing source fails the stream', async () => {
  async function* failing() {
    yield new Uint8Array(1)
    throw new Error('no database')
  }
  await expect(new Response(spool(failing(), () => {})).bytes()).rejects.toThrow('no database')
})
