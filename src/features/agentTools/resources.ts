import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { Type } from '@sinclair/typebox'
import { MetricList } from '../catalogue/schema.ts'
import { Company } from '../companyProfile/schema.ts'
import { CoverageIndex } from '../coverage/schema.ts'
import { read, ToolRefusal } from './api.ts'
import type { ToolDeps } from './tool.ts'

const { metrics: companyMetrics, ...profile } = Company.properties
const ReadCompany = Type.Object({ ...profile, metrics: companyMetrics })
const ReadManifests = Type.Object({ manifests: CoverageIndex.properties.manifests })
const ReadMetrics = Type.Object({ data: MetricList.properties.data })

const json = 'application/json'
const pathPart = /^[^./\\][^/\\]{0,63}$/

type Request = Parameters<typeof read>[0]

/** Resources that a conversation may attach: a company, a market's reporting basis, the metrics. */
export function registerResources(server: McpServer, deps: ToolDeps): void {
  const answer = async (uri: URL, signal: AbortSignal, make: (call: Request) => Promise<object>) => {
    try {
      const made = await make({ request: request => deps.perform(request, signal) })
      return { contents: [{ uri: uri.href, mimeType: json, text: JSON.stringify(made) }] }
    } catch (error) {
      if (!(error instanceof ToolRefusal)) deps.report(error)
      const message = error instanceof ToolRefusal ? error.message : 'An internal error occurred.'
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
    }
  }

  server.registerResource(
    'company',
    new ResourceTemplate('company://{id}', { list: undefined }),
    {
      title: 'A company',
      description:
        'Name, number, sector, year end, currency, first and last filing of a company, by any of its IDs: company://AAPL.',
      mimeType: json,
    },
    (uri, { id }, context) =>
      answer(uri, context.mcpReq.signal, async call => {
        const path = `/api/v1/companies/${encodeURIComponent(part(id, 'company://AAPL').toWellFormed())}`
        const { metrics, ...company } = await read(call, ReadCompany, { path })
        return { ...company, metrics: metrics.map(({ m }) => m) }
      }),
  )

  server.registerResource(
    'manifest',
    new ResourceTemplate('manifest://{market}', { list: undefined }),
    {
      title: 'What the figures of a market mean',
      description:
        'Reporting basis of a market: who files, consolidated or not, what `filed` is, which metrics are never stated and why, the terms of use. manifest://US',
      mimeType: json,
    },
    (uri, { market }, context) =>
      answer(uri, context.mcpReq.signal, async call => {
        const code = part(market, 'manifest://US').toUpperCase()
        const query = { market: code, limit: 1 }
        const { manifests } = await read(call, ReadManifests, { path: '/api/v1/fundamentals', query })
        const found = manifests.find(manifest => manifest.code === code)
        if (found === undefined) throw new ToolRefusal('parameter_invalid', `There is no market ${code}.`)
        const { sync: _, ...manifest } = found
        return manifest
      }),
  )

  server.registerResource(
    'metrics',
    'metrics://catalogue',
    {
      title: 'The metrics',
      description: 'Every metric: its name, meaning, unit and sign, and the markets that have it.',
      mimeType: json,
    },
    (uri, context) =>
      answer(uri, context.mcpReq.signal, async call => {
        const { data } = await read(call, ReadMetrics, { path: '/api/v1/metrics' })
        return { metrics: data.map(one => ({ ...one, markets: one.markets.map(({ market }) => market) })) }
      }),
  )
}

function part(value: string | string[], example: string): string {
  const text = typeof value === 'string' ? decode(value) : ''
  if (pathPart.test(text)) return text
  throw new ToolRefusal(
    'parameter_invalid',
    `This address does not name a resource. Write it like ${example}.`,
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
