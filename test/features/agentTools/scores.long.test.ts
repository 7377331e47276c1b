import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import type { Structured } from './toolClient.ts'

/** Two judges of MCP servers that are not ours, in the versions of `.ci/requirements-long.txt`. A new version may have new rules: what it
 * rightly blames is mended, and what it does not stands here with the reason. */

const folder = dirname(process.env.PYTHON ?? 'python3')
const has = (name: string) => existsSync(resolve(folder, name))
const isReady = process.env.LONG !== undefined && has('mcpscore') && has('mcp-quality')
if (!isReady)
  console.log(
    'skipped: mcpscore and mcp-quality run with LONG=1 and a PYTHON that has .ci/requirements-long.txt',
  )

const minutes = 5 * 60_000

describe.skipIf(!isReady)('judges of MCP servers, from PyPI (LONG=1)', () => {
  let server: RealServer
  let key: string
  beforeAll(async () => {
    server = await realServer({ today: () => '2026-11-20' })
    key = await sellKey(server.sql, { licence: 'oem', quant: true, perMinute: 100_000 })
  }, minutes)
  afterAll(() => server.stop(), minutes)

  async function judge(name: string, args: readonly string[]): Promise<{ code: number; report: Structured }> {
    const child = Bun.spawn([resolve(folder, name), ...args], { stdout: 'pipe', stderr: 'pipe' })
    const [out] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, report: Object(JSON.parse(out)) }
  }

  test(
    'mcpscore blames nothing but what is meant so, and no smoke check of any tool fails',
    async () => {
      const { code, report } = await judge('mcpscore', [
        '--no-config',
        '--json',
        '--smoke',
        '--call-all',
        ...['--header', `Authorization: Bearer ${key}`, `${server.url}/mcp`],
      ])
      const failed = report.results.filter(({ passed }: Structured) => passed === false)
      const meant = [
        // The library names the modern revision only, although it serves both.
        'protocol_version_supported_versions_include_negotiated',
        'server_icons_present',
        // The lists never change while a server runs.
        'capability_tools_list_changed',
        'capability_resources_list_changed',
        // A test has no certificate.
        'security_tls_enabled',
      ]
      expect(failed.map((rule: Structured) => rule.rule_id).toSorted()).toEqual(meant.toSorted())
      console.log(`mcpscore: ${report.score} of ${report.max_score}`)
      // 4: a smoke check failed.
      expect(code).toBe(0)
    },
    minutes,
  )

  test(
    'mcp-quality finds no fault in contract, safety and security',
    async () => {
      const { code, report } = await judge('mcp-quality', [
        'run',
        '--json',
        '--security',
        '--safety',
        '--response-bloat',
        ...['--transport', 'streamable-http', '--header', `Authorization: Bearer ${key}`],
        `${server.url}/mcp`,
      ])
      const { families, overall } = report
      // It knows no other bound of an answer than a number of rows; this tool has max_characters.
      const { contract } = families
      contract.findings = contract.findings.filter(
        ({ code, tool }: { code: string; tool: string }) =>
          code !== 'C14-oversized-output' || tool !== 'audit_rows',
      )
      for (const family of ['contract', 'safety', 'security'])
        expect([family, families[family].grade, families[family].findings]).toEqual([family, 'A', []])
      console.log(`mcp-quality: ${overall.score} (${overall.grade}), cost ${families.cost.score}`)
      expect([code, overall.score >= 85]).toEqual([0, true])
    },
    minutes,
  )
})
