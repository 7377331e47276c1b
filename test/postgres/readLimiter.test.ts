import { expect, test } from 'bun:test'
import { StreamTurns } from '../../src/postgres/readLimiter.ts'

/** A stream that reads until `end`. */
function stream() {
  const { promise: read, resolve: end } = Promise.withResolvers<void>()
  return { read, end }
}

const never = new AbortController().signal
const settle = () => Bun.sleep(0)

test('one caller never takes more than half of the turns, and the others wait for none', async () => {
  const turns = new StreamTurns(4)
  const opened: string[] = []
  const streams = ['a', 'a', 'a', 'a', 'b', 'c'].map(subject => {
    const own = stream()
    turns.use(subject, never, async () => {
      opened.push(subject)
      return own
    })
    return own
  })
  await settle()
  expect(opened).toEqual(['a', 'a', 'b', 'c'])
  streams[4].end()
  await settle()
  expect(opened).toEqual(['a', 'a', 'b', 'c'])
  streams[0].end()
  streams[1].end()
  await settle()
  expect(opened).toEqual(['a', 'a', 'b', 'c', 'a', 'a'])
})

test('a stream that cannot be opened gives its turn back', async () => {
  const turns = new StreamTurns(1)
  const fail = () => turns.use('a', never, () => Promise.reject(new Error('away')))
  for (let n = 0; n < 3; n++) await expect(fail()).rejects.toThrow('away')
  const own = stream()
  expect(await turns.use('a', never, async () => own)).toBe(own)
})

test('whoever leaves while waiting loses the place and takes no turn', async () => {
  const turns = new StreamTurns(1)
  const first = stream()
  await turns.use('a', never, async () => first)
  const leaving = new AbortController()
  const waiting = turns.use('b', leaving.signal, async () => stream())
  let third = false
  turns.use('c', never, async () => {
    third = true
    return stream()
  })
  leaving.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
  first.end()
  await settle()
  expect(third).toBe(true)
})

test('a caller with a hundred waiting requests is told to come back', async () => {
  const turns = new StreamTurns(2)
  for (let n = 0; n < 101; n++) turns.use('a', never, async () => stream()).catch(() => {})
  await expect(turns.use('a', never, async () => stream())).rejects.toMatchObject({ code: 'compute_busy' })
  const other = stream()
  expect(await turns.use('b', never, async () => other)).toBe(other)
})

test('a read takes its turn among the streams, and gives it back also when it fails', async () => {
  const turns = new StreamTurns(1)
  const own = stream()
  await turns.use('a', never, async () => own)
  const order: string[] = []
  const read = turns.read('b', async () => order.push('read'))
  await settle()
  expect(order).toEqual([])
  own.end()
  await read
  expect(order).toEqual(['read'])
  await expect(turns.read('b', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await turns.read('c', async () => 'again')).toBe('again')
})
