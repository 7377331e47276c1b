import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Options, SingleBar } from 'cli-progress'
import { Failure, reasonOf } from '../errors.ts'

interface ProgressState {
  readonly done: number
  readonly total: number
  /** Progress in the command's own terms: `1,204 files, 98,000 figures/s`. */
  readonly note: string
}

/**
 * The progress of a long command on standard error: on a terminal, a bar with the remaining time; otherwise a
 * line every few seconds.
 */
export interface Progress {
  update(state: ProgressState): void
  /** Removes the bar, so that other output can follow. */
  stop(): void
}

const lineIntervalMs = 5_000
const redrawIntervalMs = 200
const remainingWindowMs = 60_000

export function startProgress(label: string): Progress {
  return process.stderr.isTTY ? startBar(label) : startLines(label)
}

function startBar(label: string): Progress {
  const options: Options = {
    format: `${label} {bar} {percentage}%  {note}  {eta_formatted} left`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    stream: process.stderr,
    etaBuffer: 50,
  }
  const bar = new SingleBar(options)
  let isStarted = false
  let drawnAt = 0
  return {
    update({ done, total, note }) {
      if (!isStarted) bar.start(total, done, { note })
      else if (performance.now() - drawnAt >= redrawIntervalMs) {
        // The total may grow while the work is in progress.
        bar.setTotal(total)
        bar.update(done, { note })
      } else return
      isStarted = true
      drawnAt = performance.now()
    },
    stop() {
      if (isStarted) bar.stop()
    },
  }
}

function startLines(label: string): Progress {
  const remaining = new RemainingTime()
  let writtenAt = performance.now()
  return {
    update({ done, total, note }) {
      const now = performance.now()
      if (now - writtenAt < lineIntervalMs) return
      writtenAt = now
      const share = total > 0 ? Math.min(1, done / total) : 1
      const leftMs = remaining.estimateMs(now, done, total)
      const left = leftMs === null ? '' : `, about ${Math.ceil(leftMs / 1000)} s left`
      console.error(`${label}: ${(share * 100).toFixed(0)}%, ${note}${left}`)
    },
    stop() {},
  }
}

/**
 * Estimates from the last minute, or from the last two observations if they are further apart, because a command that
 * continues an earlier run passes over what that run has done in no time.
 */
export class RemainingTime {
  readonly #marks: { readonly atMs: number; readonly done: number }[] = []

  /** Milliseconds until `done` is `total`; null: no progress was observed yet. */
  estimateMs(atMs: number, done: number, total: number): number | null {
    while (this.#marks.length > 1 && atMs - this.#marks[0].atMs > remainingWindowMs) this.#marks.shift()
    const first = this.#marks.at(0)
    this.#marks.push({ atMs, done })
    if (first === undefined || done <= first.done) return null
    return ((atMs - first.atMs) * Math.max(0, total - done)) / (done - first.done)
  }
}

/** Formats 1204 as `1,204`. */
export const grouped = (value: number) => value.toLocaleString('en-US')

/** Columns aligned with spaces, for a terminal and for `awk`. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column].length)))
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Lines of at most `width` characters, broken between words; lines after the first begin with `indent`. */
export function wrapText(text: string, width: number, indent = ''): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line.trim() !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = indent + word
    } else line = line.trim() === '' ? line + word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}

/**
 * Fails if a file cannot be written to `path` because its folder is missing. A mistyped path must not create
 * a folder.
 *
 * @param what names the path in the message
 */
export async function requireFolder(what: string, path: string): Promise<void> {
  const folder = dirname(path)
  const found = await stat(folder).catch(() => null)
  if (found?.isDirectory() !== true)
    throw new Failure(
      'parameter_invalid',
      `${what} is ${path}, but there is no folder ${folder}. Create it first, or give another path.`,
    )
  if ((await stat(path).catch(() => null))?.isDirectory())
    throw new Failure('parameter_invalid', `${what} is ${path}, which is a folder. Give a file in it.`)
}

/**
 * Writes a file so that readers see either the whole old file or the whole new one: after a full disk or an
 * interruption the old one remains. A pipe or device (/dev/stdout) is written to directly.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  mode?: number,
): Promise<void> {
  try {
    const found = await stat(path).catch(() => null)
    if (found !== null && !found.isFile()) await Bun.write(path, content)
    // A link is kept, and its target replaced.
    else await replaceFile(found === null ? path : await realpath(path), content, mode)
  } catch (cause) {
    throw new Failure('internal', `${path} could not be written: ${reasonOf(cause)}.`, { cause })
  }
}

/**
 * Prints a command's result and resolves when all of it is written. On a full disk, `console.log` would lose
 * it without an error; `Bun.write(Bun.stdout)` would write it twice if output is appended to a file.
 */
export function printLine(text: string): Promise<void> {
  return new Promise((fulfil, reject) => {
    const fail = (cause: Error) => {
      const isClosed = 'code' in cause && cause.code === 'EPIPE'
      const reason = isClosed ? 'it was closed before the end' : reasonOf(cause)
      reject(new Failure('internal', `Standard output could not be written: ${reason}.`, { cause }))
    }
    process.stdout.once('error', fail)
    process.stdout.write(`${text}\n`, error => {
      if (error) return fail(error)
      process.stdout.off('error', fail)
      fulfil()
    })
  })
}

async function replaceFile(
  path: string,
  content: string | Uint8Array,
  mode: number | undefined,
): Promise<void> {
  const folder = dirname(path)
  const unfinished = join(folder, `.asfiled-${process.pid}-${crypto.randomUUID()}.tmp`)
  try {
    await writeFile(unfinished, content, mode === undefined ? {} : { mode })
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
