import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import type { Structured } from './toolClient.ts'

if (process.env.LONG === undefined) console.log('skipped: the inspector of the protocol runs with LONG=1')

const repository = resolve(import.meta.dir, '../../..')
const version = '2.12.0'
const minutes = 5 * 60_000

describe.skipIf(process.env.LONG === undefined)('the inspector of the protocol, from npm (LONG=1)', () => {
  let server: RealServer
  let key: string
  beforeAll(async () => {
    server = await realServer({ today: () => '2026-11-20' })
    key = await sellKey(server.sql, { licence: 'commercial' })
  }, minutes)
  afterAll(() => server.stop(), minutes)

  /** Both ways to the tools, as its command line takes them. */
  const targets = () => ({
    stdio: ['-e', `ASFILED_URL=${server.url}`, '-e', `ASFILED_KEY=${key}`, 'bun', 'src/cli.ts', 'mcp'],
    http: [`${server.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`],
  })

  async function inspect(way: 'stdio' | 'http', ...args: string[]): Promise<Structured> {
    const command = [
      'npx',
      '-y',
      `@modelcontextprotocol/inspector@${version}`,
      '--cli',
      ...targets()[way],
      ...args,
    ]
    const child = Bun.spawn(command, { cwd: repository, stdout: 'pipe', stderr: 'pipe' })
    const [out, said] = [await new Response(child.stdout).text(), await new Response(child.stderr).text()]
    expect([await child.exited, said.includes('Error')]).toEqual([0, false])
    return Object(JSON.parse(out))
  }

  for (const way of ['stdio', 'http'] as const) {
    test(
      `lists the tools, calls one and reads a resource: ${way}`,
      async () => {
        const { tools } = await inspect(way, '--method', 'tools/list')
        expect(tools).toHaveLength(11)
        for (const { name, description, outputSchema, annotations } of tools) {
          expect([name, typeof description, outputSchema.type]).toEqual([name, 'string', 'object'])
          expect([name, annotations.readOnlyHint]).toEqual([name, name !== 'run_backtest'])
        }
        const call = ['--method', 'tools/call', '--tool-name', 'compare_as_of']
        const days = { since: '2009-12-31', as_of: '2010-01-31' }
        const args = [
          '--tool-args-json',
          JSON.stringify({ tickers: ['AAPL'], ...days, metrics: ['revenue'] }),
        ]
        const { structuredContent } = await inspect(way, ...call, ...args)
        // 10-K 0001193125-09-214859, amended by 10-K/A 0001193125-10-012091.
        const year = structuredContent.data.find(
          ({ m, fp, fy }: Structured) => m === 'revenue' && fp === 'FY' && fy === 2009,
        )
        expect([year?.before.v, year?.after.v ?? null]).toEqual([36_537_000_000, 42_905_000_000])
        const { contents } = await inspect(way, '--method', 'resources/read', '--uri', 'manifest://JP')
        expect(JSON.parse(contents[0].text).code).toBe('JP')
      },
      minutes,
    )
  }
})
