import { type Options, SingleBar } from 'cli-progress'

export interface ProgressState {
  readonly done: number
  readonly total: number
  /** How far it is, in the words of the command: `1,204 files, 98,000 figures/s`. */
  readonly note: string
}

/** Shows how a long command gets on: a bar with the remaining time on a terminal, a line now and then
 * elsewhere. */
export interface Progress {
  update(state: ProgressState): void
  /** Clears the way for other output. */
  stop(): void
}

const lineEveryMs = 5_000
const redrawEveryMs = 200

export function startProgress(label: string, now: () => number): Progress {
  return process.stderr.isTTY ? startBar(label, now) : startLines(label, now)
}

function startBar(label: string, now: () => number): Progress {
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
  let started = false
  let drawn = 0
  return {
    update({ done, total, note }) {
      if (!started) bar.start(total, done, { note })
      else if (now() - drawn >= redrawEveryMs) {
        // What there is to do may only show on the way.
        bar.setTotal(total)
        bar.update(done, { note })
      } else return
      started = true
      drawn = now()
    },
    stop() {
      if (started) bar.stop()
    },
  }
}

function startLines(label: string, now: () => number): Progress {
  const began = now()
  let written = began
  return {
    update({ done, total, note }) {
      if (now() - written < lineEveryMs) return
      written = now()
      const share = total > 0 ? Math.min(1, done / total) : 1
      const left = share > 0 ? ((now() - began) * (1 - share)) / share : 0
      console.error(`${label}: ${(share * 100).toFixed(0)}%, ${note}, about ${Math.ceil(left / 1000)} s left`)
    },
    stop() {},
  }
}

/** Columns aligned with spaces, as a terminal and `awk` like them. */
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
