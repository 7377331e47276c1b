import { rawRequest } from './rawRequest.ts'

export interface Sent {
  readonly status: number
  readonly head: string
  readonly body: string
  readonly ms: number
}

/** The headers that a request with this key needs, its connection closed afterwards. */
export const commonHeaders = (authorization: string) =>
  `Host: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n`

/** Sends requests with one key, whose target and headers go as they are. */
export function lineSender(port: number, authorization: string) {
  const common = commonHeaders(authorization)
  return async (line: string, headers = ''): Promise<Sent> => {
    const bytes = Buffer.from(`${line} HTTP/1.1\r\n${headers}${common}\r\n`, 'latin1')
    const { text, status, ms } = await rawRequest(port, bytes, { timeoutMs: 10_000 })
    const [head, ...rest] = text.split('\r\n\r\n')
    return { status, head, body: rest.join('\r\n\r\n'), ms }
  }
}

export function headerOf({ head }: Sent, name: string): string | null {
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? null
}

export const codeOf = ({ body }: Sent): string => JSON.parse(body).error.code
