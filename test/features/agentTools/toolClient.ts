import { resolve } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const repository = resolve(import.meta.dir, '../../..')

/** The two ways to the tools, each in both generations of the protocol. */
export const ways = ['http 2025-11-25', 'http auto', 'stdio 2025-11-25', 'stdio auto'] as const
export type Way = (typeof ways)[number]

export interface ToolClient {
  readonly client: Client
  /** What the process of the tools has written to standard error. */
  readonly said: () => string
  call(name: string, args: object, options?: CallOptions): Promise<ToolReply>
  close(): Promise<void>
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: {
    progress: number
    total?: number | undefined
    message?: string | undefined
  }) => void
  readonly timeout?: number
}

export interface ToolReply {
  readonly isError: boolean
  readonly text: string
  readonly structured: Structured
  /** Of the whole result as JSON. */
  readonly characters: number
}

/** Answers of the tools are read freely: what they have to be is said by their schemas, which the client checks. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Structured = Record<string, any>

interface Target {
  readonly url: string
  /** undefined: none is sent. */
  readonly key?: string | undefined
  /** Further headers, or settings of the process. */
  readonly headers?: Record<string, string>
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>
}

export async function connectTools(way: Way, { url, key, headers = {}, fetch }: Target): Promise<ToolClient> {
  const isAuto = way.endsWith('auto')
  const client = new Client(
    { name: 'asfiled-test', version: '1.0.0' },
    isAuto ? { versionNegotiation: { mode: 'auto' } } : {},
  )
  let said = ''
  if (way.startsWith('http')) {
    const sent = { ...headers, ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) }
    const requestInit = { headers: sent }
    const options = fetch === undefined ? { requestInit } : { requestInit, fetch }
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), options))
  } else {
    const transport = new StdioClientTransport({
      command: 'bun',
      args: ['src/cli.ts', 'mcp'],
      cwd: repository,
      env: {
        PATH: process.env.PATH ?? '',
        ASFILED_URL: url,
        ...(key === undefined ? {} : { ASFILED_KEY: key }),
      },
      stderr: 'pipe',
    })
    transport.stderr?.on('data', chunk => {
      said += String(chunk)
    })
    await client.connect(transport)
  }
  return {
    client,
    said: () => said,
    close: () => client.close(),
    call: async (name, args, options = {}) => {
      const result = await client.callTool({ name, arguments: { ...args } }, options)
      const [first] = Array.isArray(result.content) ? result.content : []
      return {
        isError: result.isError === true,
        text: first?.type === 'text' ? first.text : '',
        structured: Object(result.structuredContent ?? {}),
        characters: JSON.stringify(result).length,
      }
    },
  }
}
