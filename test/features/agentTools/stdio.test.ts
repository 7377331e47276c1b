import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  makeDataDir,
  removeDataDir,
  type ServerProcess,
  startServerProcess,
} from '../../boot/serverProcess.ts'
import { shippedDatabase, type TestDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { connectTools } from './toolClient.ts'

setDefaultTimeout(180_000)

let database: TestDatabase
let key: string
const folder = makeDataDir()
beforeAll(async () => {
  database = await shippedDatabase()
  key = await sellKey(database.sql, { licence: 'oem', quant: true, perMinute: 100_000 })
})
afterAll(async () => {
  await database.close()
  removeDataDir(folder)
})

const startServer = (): Promise<ServerProcess> =>
  startServerProcess(folder, { DATABASE_URL: database.url, COMPUTE_THREADS: '1', LOG_LEVEL: 'silent' })

/** A server that does not belong to this project. */
function impostor(answer: (request: Request) => Response | Promise<Response>) {
  const seen: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: request => {
      seen.push(request.headers.get('authorization') ?? '')
      return answer(request)
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, seen, stop: () => server.stop(true) }
}

async function refusalAt(url: string, sent: string | undefined = key): Promise<string> {
  const tools = await connectTools('stdio auto', { url, key: sent })
  const reply = await tools.call('get_coverage', { tickers: ['AAPL'] })
  expect(reply.isError).toBe(true)
  expect(reply.text).not.toMatch(/ECONN|fetch|TypeError|SyntaxError|\n\s+at /)
  const said = tools.said()
  await tools.close()
  for (const shown of [reply.text, said]) expect(shown).not.toContain(key)
  return reply.text
}

describe('asfiled mcp', () => {
  test('acts as demo without a key, and as the key with one', async () => {
    const server = await startServer()
    const past = { tickers: ['SNOW'], metrics: ['revenue'], fp: 'FY', as_of: '2023-12-31' }
    const demo = await connectTools('stdio auto', { url: server.address })
    expect((await demo.call('get_latest_fundamentals', past)).text).toContain('code: licence_required')
    await demo.close()
    const tools = await connectTools('stdio auto', { url: `${server.address}/`, key })
    // 10-K 0001640147-23-000030 of 2023-03-29.
    const { structured } = await tools.call('get_latest_fundamentals', past)
    expect(structured.data[0]).toMatchObject({ v: 2_065_659_000, filed: '2023-03-29' })
    expect(tools.said()).toBe('')
    await tools.close()
    server.signal('SIGTERM')
    expect(await server.exited).toBe(0)
  })

  test('says so in words when its server is killed in the middle of a call, and works again when there is one', async () => {
    const server = await startServer()
    const { port } = new URL(server.address)
    const tools = await connectTools('stdio auto', { url: server.address, key })
    const sweep = {
      quantile: Array.from({ length: 50 }, (_, i) => (i + 1) / 100),
      hold_days: [1, 2, 3, 5, 10],
    }
    const started = Promise.withResolvers<void>()
    const call = tools.call(
      'run_backtest',
      { source: { market: 'US' }, sweep, config: { drift: true } },
      { onprogress: () => started.resolve() },
    )
    await started.promise
    server.signal('SIGKILL')
    await server.exited
    const reply = await call
    expect(reply.isError).toBe(true)
    expect(reply.text).toContain(
      `The service at ${server.address} cannot be reached, or the connection ended`,
    )
    expect(reply.text).toContain(
      'Check that it is running and that ASFILED_URL is its address, then call again.',
    )
    const again = await startServerProcess(folder, {
      DATABASE_URL: database.url,
      LOG_LEVEL: 'silent',
      PORT: port,
    })
    expect((await tools.call('get_coverage', { tickers: ['AAPL'] })).isError).toBe(false)
    await tools.close()
    again.signal('SIGTERM')
    await again.exited
  })

  test('says so when nothing listens', async () => {
    expect(await refusalAt('http://127.0.0.1:9')).toContain(
      'The service at http://127.0.0.1:9 cannot be reached',
    )
  })

  test('says so when the address is that of something else', async () => {
    const page = impostor(() => new Response('<html>Welcome</html>'))
    expect(await refusalAt(page.url)).toContain('ASFILED_URL has to be the address of an asfiled server')
    page.stop()
    const json = impostor(() => Response.json({ hello: 'world' }))
    expect(await refusalAt(json.url)).toContain('a form that this version of the tools does not know')
    json.stop()
    const odd = impostor(() => Response.json({ oops: 1 }, { status: 500 }))
    expect(await refusalAt(odd.url)).toContain('answered with status 500 and no message')
    odd.stop()
  })

  test('follows no redirect: the key is sent to the address of ASFILED_URL alone', async () => {
    const other = impostor(() => Response.json({}))
    const first = impostor(() => Response.redirect(`${other.url}/x`, 302))
    expect(await refusalAt(first.url)).toContain('the key is not sent anywhere else')
    expect([first.seen.length, other.seen]).toEqual([1, []])
    expect(first.seen[0]).toBe(`Bearer ${key}`)
    first.stop()
    other.stop()
  })

  test('reads no answer without end', async () => {
    const chunk = new Uint8Array(1_048_576).fill(32)
    const endless = impostor(
      () => new Response(new ReadableStream({ pull: controller => controller.enqueue(chunk.slice()) })),
    )
    expect(await refusalAt(endless.url)).toContain('The answer is larger than 32 MB.')
    endless.stop()
  })

  test('ends when its input does, and refuses settings that are none without repeating them', async () => {
    const run = async (settings: Record<string, string>) => {
      const child = Bun.spawn(['bun', 'src/cli.ts', 'mcp'], {
        env: { PATH: process.env.PATH ?? '', ...settings },
        ...({ stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const),
      })
      child.stdin.end()
      const [out, said] = [await new Response(child.stdout).text(), await new Response(child.stderr).text()]
      return { code: await child.exited, out, said }
    }
    expect(await run({})).toEqual({ code: 0, out: '', said: '' })
    const wrong = await run({ ASFILED_URL: 'data.example.com', ASFILED_KEY: 'secret with blanks' })
    expect([wrong.code, wrong.out]).toEqual([2, ''])
    expect(wrong.said).toContain('ASFILED_URL=data.example.com is not a URL')
    expect(wrong.said).toContain('ASFILED_KEY is not a key')
    expect(wrong.said).not.toContain('secret')
  })
})
