import { expect, test } from 'bun:test'
import { ReadLimiter } from '../../src/postgres/readLimiter.ts'

/** A stream whose read lasts until `end`. */
function stream() {
  const { promise: read, resolve: end } = Promise.withResolvers<void>()
  return { read, end }
}

const never = new AbortController().signal
const settle = () => Bun.sleep(0)

test('one caller gets at most half of the slots, and others need not wait', async () => {
  const limiter = new ReadLimiter(4)
  const opened: string[] = []
  const streams = ['a', 'a', 'a', 'a', 'b', 'c'].map(subject => {
    const own = stream()
    limiter.openStream(subject, never, async () => {
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

test('a stream that cannot be opened releases its slot', async () => {
  const limiter = new ReadLimiter(1)
  const fail = () => limiter.openStream('a', never, () => Promise.reject(new Error('away')))
  for (let n = 0; n < 3; n++) await expect(fail()).rejects.toThrow('away')
  const own = stream()
  expect(await limiter.openStream('a', never, async () => own)).toBe(own)
})

test('a waiting caller that disconnects leaves the queue', async () => {
  const limiter = new ReadLimiter(1)
  const first = stream()
  await limiter.openStream('a', never, async () => first)
  const leaving = new AbortController()
  const waiting = limiter.openStream('b', leaving.signal, async () => stream())
  let third = false
  limiter.openStream('c', never, async () => {
    third = true
    return stream()
  })
  leaving.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
  first.end()
  await settle()
  expect(third).toBe(true)
})

test('a caller with a hundred waiting requests is refused', async () => {
  const limiter = new ReadLimiter(2)
  for (let n = 0; n < 101; n++) limiter.openStream('a', never, async () => stream()).catch(() => {})
  await expect(limiter.openStream('a', never, async () => stream())).rejects.toMatchObject({
    code: 'compute_busy',
  })
  const other = stream()
  expect(await limiter.openStream('b', never, async () => other)).toBe(other)
})

test('a read uses a slot like a stream, and releases it also after a failure', async () => {
  const limiter = new ReadLimiter(1)
  const own = stream()
  await limiter.openStream('a', never, async () => own)
  const order: string[] = []
  const read = limiter.run('b', async () => order.push('read'))
  await settle()
  expect(order).toEqual([])
  own.end()
  await read
  expect(order).toEqual(['read'])
  await expect(limiter.run('b', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await limiter.run('c', async () => 'again')).toBe('again')
})
