import { readFileSync } from 'node:fs'
import type { LargeRequest } from './requests.ts'

interface LoadTarget {
  readonly port: number
  readonly pid: number
}

interface LoadOptions {
  readonly key: string
  readonly requests: readonly LargeRequest[]
  readonly clients: number
  readonly rounds: number
  readonly report?: (line: string) => void
}

export interface LoadOutcome {
  readonly answered: number
  /** Requests that got an unexpected response. */
  readonly failures: readonly string[]
  readonly highestMb: number
}

/** Resident memory of a process, in megabytes. Its children, such as PostgreSQL, do not count. */
export const residentMb = (pid: number) =>
  (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4_096) / 1e6

/** Several clients send requests one after the other. Together they send every request `rounds` times. */
export async function runLoad(
  target: LoadTarget,
  { key, requests, clients, rounds, report = () => {} }: LoadOptions,
): Promise<LoadOutcome> {
  const outcome = { answered: 0, failures: [] as string[], highestMb: 0 }
  const waiting = Array.from({ length: rounds }, () => requests)
    .flat()
    .values()
  const watch = setInterval(() => {
    outcome.highestMb = Math.max(outcome.highestMb, residentMb(target.pid))
  }, 250)
  const client = async () => {
    for (const request of waiting) {
      const startedMs = performance.now()
      const fault = await send(target.port, key, request)
      const ms = Math.round(performance.now() - startedMs)
      report(`${request.name}: ${fault ?? 'ok'}, ${ms} ms, ${residentMb(target.pid).toFixed(0)} MB`)
      if (fault === null) outcome.answered++
      else outcome.failures.push(`${request.name}: ${fault}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: clients }, client))
  } finally {
    clearInterval(watch)
  }
  return outcome
}

/** Sends a request. Returns what was wrong with the answer, or null. */
export async function send(port: number, key: string, request: LargeRequest): Promise<string | null> {
  const { path, body, type, leaves } = request
  const left = new AbortController()
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { Authorization: `Bearer ${key}`, ...(type === undefined ? {} : { 'Content-Type': type }) },
      ...(body === undefined ? {} : { method: 'POST' }),
      ...(body === undefined ? {} : { body: leaves === 'while sending' ? cutOff(body, left) : body }),
      signal: left.signal,
    })
    if (!response.ok) return `${response.status} ${(await response.text()).slice(0, 200)}`
    const reader = response.body?.getReader()
    while (reader !== undefined && !(await reader.read()).done) {
      if (leaves !== 'while reading') continue
      left.abort()
      return null
    }
    return null
  } catch (error) {
    return left.signal.aborted ? null : `${error}`
  }
}

/** Sends the first half of a body and then closes the connection. */
function cutOff(body: string | Uint8Array, left: AbortController): ReadableStream<Uint8Array> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes.subarray(0, bytes.length / 2))
      await Bun.sleep(200)
      left.abort()
    },
  })
}
