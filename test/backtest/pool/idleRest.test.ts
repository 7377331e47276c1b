import { expect, test } from 'bun:test'
import { IdleRest } from '../../../workers/idleRest.ts'

async function waitFor(isReached: () => boolean): Promise<void> {
  for (let wait = 0; wait < 200 && !isReached(); wait++) await Bun.sleep(10)
}

test('releases once after the last task, and again after later ones', async () => {
  let released = 0
  const rest = new IdleRest(() => released++, 10)
  rest.begin()
  rest.begin()
  rest.end()
  await Bun.sleep(50)
  expect(released).toBe(0)
  rest.end()
  await waitFor(() => released > 0)
  await Bun.sleep(50)
  expect(released).toBe(1)
  rest.begin()
  rest.end()
  await waitFor(() => released > 1)
  expect(released).toBe(2)
})

test('a task that begins before the time is over puts it off', async () => {
  let released = 0
  const rest = new IdleRest(() => released++, 30)
  rest.begin()
  rest.end()
  rest.begin()
  await Bun.sleep(100)
  expect(released).toBe(0)
  rest.end()
  await waitFor(() => released > 0)
  expect(released).toBe(1)
})
