import pino, { type DestinationStream, type Logger } from 'pino'

const keyShape = /asf_(live|test)_[0-9A-Za-z]{32}_?[0-9A-Za-z]*/g
const flushEveryMs = 1_000

/** A cause, for the log: its text and stack, and no key that somebody put into a query or a message. */
function describeError(error: unknown): object {
  const described = error instanceof Error ? pino.stdSerializers.err(error) : { message: String(error) }
  const hidden = JSON.stringify(described).replace(keyShape, 'asf_$1_[redacted]')
  return JSON.parse(hidden)
}

/** Structured logs, one JSON object a line. Lines are gathered and written in blocks, at least once a second and
 * before the process ends; errors at once. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const gathered =
    destination ?? pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: flushEveryMs })
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      redact: ['authorization', '*.authorization', 'headers.authorization', 'req.headers.authorization'],
      serializers: { err: describeError },
    },
    gathered,
  )
}
