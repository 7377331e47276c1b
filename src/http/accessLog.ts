import pino, { type DestinationStream, type Logger } from 'pino'
import type { Call } from './Call.ts'
import type { GatheringStream } from './log.ts'

export type AccessLog = (call: Call, route: string, status: number, code: string | null, ms: number) => void

const levelInfo = 30

/** One line a request in the form and the stream of `log`. Put together by hand: none of the values needs escaping
 * (ids and methods are tokens, routes and codes are ours), and a general serialiser costs more than the rest of a
 * request that is answered from memory. */
export function accessLog(log: Logger): AccessLog {
  if (!log.isLevelEnabled('info')) return () => {}
  const stream: DestinationStream & Partial<GatheringStream> = Reflect.get(log, pino.symbols.streamSym)
  const write = stream.gather ?? ((line: string) => stream.write(line))
  return (call, route, status, code, ms) => {
    const { id, request, caller, address } = call
    const key = caller === null ? '' : `,"key":"${caller.name}"`
    const error = code === null ? '' : `,"code":"${code}"`
    write(
      `{"level":${levelInfo},"time":${Date.now()},"requestId":"${id}","method":"${request.method}","route":"${route}","status":${status}${error},"ms":${Math.round(ms * 100) / 100}${key},"address":"${address}","msg":"request"}\n`,
    )
  }
}
