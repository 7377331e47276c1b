import { writeSync } from 'node:fs'
import pino, { type DestinationStream, type Logger } from 'pino'
import type { RequestContext } from './context.ts'

const keyShape = /asf_(live|test)_[0-9A-Za-z]{32}(_[0-9A-Za-z]{6})?/g
const bufferedCharacters = 65_536
const flushEveryMs = 1_000
const standardError = 2
/** The start of a line of level error or fatal. */
const errorLine = /^\{"level":[56]0/

/** The last guard against a key in the log. No caller logs keys, but an error text may quote a query that contains one. */
function withoutKeys(line: string): string {
  return line.includes('asf_') ? line.replace(keyShape, 'asf_$1_[redacted]') : line
}

export interface BufferedStream extends DestinationStream {
  /** Like `write`, for a line that is never an error: it skips the check for one. */
  buffer(line: string): void
}

/** Buffers lines and writes them in blocks: at least once a second, at exit, and at once after an error. One write per line
 * would cost as much as a cached answer. */
function bufferedStream(write: (lines: string) => void): BufferedStream {
  let lines = ''
  const flush = () => {
    if (lines === '') return
    const block = lines
    lines = ''
    write(block)
  }
  setInterval(flush, flushEveryMs).unref()
  process.on('exit', flush)
  const buffer = (line: string) => {
    lines += line
    if (lines.length >= bufferedCharacters) flush()
  }
  return {
    buffer,
    write(line) {
      buffer(line)
      if (errorLine.test(line)) flush()
    },
  }
}

/** Standard error may be a pipe that is full or closed. Neither may fail a request, so lines are dropped after 100 tries. */
function writeAll(lines: string): void {
  let rest = Buffer.from(lines)
  for (let attempt = 0; attempt < 100 && rest.length > 0; attempt++) {
    try {
      rest = rest.subarray(writeSync(standardError, rest))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return
      Bun.sleepSync(1)
    }
  }
}

/** Structured logs, one JSON object a line. */
export function createLog(level: string, destination: DestinationStream = bufferedStream(writeAll)): Logger {
  return pino({ level, base: null, hooks: { streamWrite: withoutKeys } }, destination)
}

export type AccessLog = (
  context: RequestContext,
  route: string,
  status: number,
  code: string | null,
  ms: number,
) => void

const levelInfo = 30
const slowMs = 1_000
const sampleEvery = 100
/** Proxies and supervisors send these every few seconds. */
const probes: ReadonlySet<string> = new Set(['/health', '/ready'])

/** Logs requests, one line each, in the form and to the stream of `log`: errors, slow requests, those of a trace that
 * a trusted proxy follows, whose ids are of use only with the line, and one in a hundred of the others, with `"sample":100` in its
 * line, or all. The line is concatenated, because pino's serialiser costs more than the rest of a cached answer. No value needs escaping: ids and
 * methods are tokens, routes and codes are constants. */
export function accessLog(log: Logger, logsAll: boolean): AccessLog {
  if (!log.isLevelEnabled('info')) return () => {}
  const stream: DestinationStream & Partial<BufferedStream> = Reflect.get(log, pino.symbols.streamSym)
  const write = stream.buffer ?? ((line: string) => stream.write(line))
  let skipped = sampleEvery - 1
  return (context, route, status, code, ms) => {
    if (probes.has(route)) return
    let sample = ''
    const { id, request, caller, address, scope } = context
    if (!logsAll && status < 400 && scope?.isFollowed !== true) {
      if (ms < slowMs) {
        if (++skipped < sampleEvery) return
        skipped = 0
        sample = `,"sample":${sampleEvery}`
      }
    }
    const key = caller === null ? '' : `,"key":"${caller.name}"`
    const error = code === null ? '' : `,"code":"${code}"`
    const trace =
      scope === null ? '' : `,"traceId":"${scope.trace.traceId}","parentId":"${scope.trace.parentId}"`
    write(
      `{"level":${levelInfo},"time":${Date.now()},"requestId":"${id}","method":"${request.method}","route":"${route}","status":${status}${error},"ms":${Math.round(ms * 100) / 100}${key},"address":"${address}"${trace}${sample},"msg":"request"}\n`,
    )
  }
}
