import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { storedChoices, storedName, storedRequest } from '../../../src/features/backtestPage/storedGrid.ts'
import { openStored, readStored } from '../../../src/features/backtestPage/storedResults.ts'
import { runBacktest } from '../../../src/features/backtests/run.ts'
import answers from '../../../src/http/docs/examples/answers.json' with { type: 'json' }
import { realServer } from '../../http/realServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { readShipped } from './captureResults.ts'

setDefaultTimeout(600_000)

const server = await realServer()
afterAll(() => server.stop(), 60_000)
const file = await openStored()
const all = storedChoices()

/** A change of the engine shows in each, so one in eight is enough for a quick look. */
const compared = process.env.LONG === '1' ? all : all.filter((_, i) => i % 8 === 0)

describe('the stored results are those that the service computes from the shipped archive, to the bit', () => {
  test.each(nonEmpty(compared).map(choice => [storedName(choice), choice] as const))(
    '%s',
    async (name, choice) => {
      const body = new TextEncoder().encode(JSON.stringify(storedRequest(choice)))
      const { bytes } = await runBacktest(server.resources.backtests, body, undefined, { caller: operator })
      const stored = await readStored(file, name)
      const computed = new TextDecoder().decode(bytes)
      // Not toBe on the texts: a difference would print half a megabyte.
      expect(Bun.hash.xxHash64(stored)).toBe(Bun.hash.xxHash64(computed))
      expect(stored === computed).toBe(true)
    },
  )
})

test('the example of the documents is one of them, without the sections of a report', async () => {
  const { backtest_shipped: example } = answers
  const stored = JSON.parse(await readStored(file, '7d 0.1 equal 1'))
  expect(stored).toMatchObject(example)
})

test('every choice of the page has its result, and there is no other', () => {
  const names = file.head.results.map(([name]) => name)
  expect(names.sort()).toEqual(all.map(storedName).sort())
  expect(all).toHaveLength(49)
})

test('what the page says of the shipped archive is so', async () => {
  expect(file.head.archive).toEqual(await readShipped(server))
})
