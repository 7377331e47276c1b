import { expect, test } from 'bun:test'
import type { Server } from 'bun'
import { idleSeconds, RequestContext, withoutIdleTimeout } from '../../src/http/context.ts'

/** A server over real sockets whose idle connections end soon. */
function impatient(work: () => Promise<string>, seen: number[]): Server<unknown> {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 1,
    fetch: async (request, server) => {
      const watched = new Proxy(server, {
        get: (target, name) =>
          name === 'timeout'
            ? (of: Request, seconds: number) => {
                seen.push(seconds)
                target.timeout(of, seconds)
              }
            : Reflect.get(target, name),
      })
      return new Response(
        await withoutIdleTimeout(new RequestContext(request, watched, 'id', 'address', 0), work).catch(
          () => 'failed',
        ),
      )
    },
  })
}

test('silence while a backtest waits and runs ends no connection, and afterwards it does again', async () => {
  const seen: number[] = []
  const server = impatient(async () => {
    // The server looks at its connections every 4 seconds.
    await Bun.sleep(9_000)
    return 'done'
  }, seen)
  try {
    const response = await fetch(server.url)
    expect(await response.text()).toBe('done')
    expect(seen).toEqual([0, idleSeconds])
  } finally {
    await server.stop(true)
  }
}, 20_000)

test('work that fails leaves the connection as it was found', async () => {
  const seen: number[] = []
  const server = impatient(() => Promise.reject(new Error('no')), seen)
  try {
    await fetch(server.url).then(response => response.text())
    expect(seen).toEqual([0, idleSeconds])
  } finally {
    await server.stop(true)
  }
})
