import { writeSync } from 'node:fs'
import pino, { type DestinationStream, type Logger } from 'pino'

const keyShape = /asf_(live|test)_[0-9A-Za-z]{32}(_[0-9A-Za-z]{6})?/g
const gatheredCharacters = 65_536
const flushEveryMs = 1_000
const standardError = 2
/** How a line of level error or fatal begins. */
const urgent = /^\{"level":[56]0/

/** Nothing that logs is given a key; should one come in by another way (a query in an error, a message), it does
 * not get out. */
function withoutKeys(line: string): string {
  return line.includes('asf_') ? line.replace(keyShape, 'asf_$1_[redacted]') : line
}

export interface GatheringStream extends DestinationStream {
  /** Like `write`, for a line that is known not to be urgent. */
  gather(line: string): void
}

/** Gathers lines and writes them in blocks, at least once a second and when the process ends; errors at once. A
 * write for each line would cost as much as the answer it tells of. */
export function gatheringStream(write: (lines: string) => void): GatheringStream {
  let lines = ''
  const flush = () => {
    if (lines === '') return
    const block = lines
    lines = ''
    write(block)
  }
  setInterval(flush, flushEveryMs).unref()
  process.on('exit', flush)
  const gather = (line: string) => {
    lines += line
    if (lines.length >= gatheredCharacters) flush()
  }
  return {
    gather,
    write(line) {
      gather(line)
      if (urgent.test(line)) flush()
    },
  }
}

/** Standard error may be a pipe that is full for a moment or closed for good; neither is worth a failed request. */
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
export function createLog(level: string, destination: DestinationStream = gatheringStream(writeAll)): Logger {
  return pino({ level, base: null, hooks: { streamWrite: withoutKeys } }, destination)
}
