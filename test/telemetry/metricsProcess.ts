import type { RunningProcess } from '../boot/serverProcess.ts'

/** The address that a process names for its metrics. */
export function metricsAddress(said: string): string {
  const found = /metrics for Prometheus at (http:\S+)/.exec(said)?.[1]
  if (found === undefined) throw new Error(`The process names no address of metrics:\n${said}`)
  return found
}

/** The series of an exposition with their values: `name{labels}` and a number. */
export function seriesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map(line => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}

export async function scrape(process: Pick<RunningProcess, 'said'>): Promise<Map<string, number>> {
  const response = await fetch(metricsAddress(process.said()), { signal: AbortSignal.timeout(20_000) })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return seriesOf(await response.text())
}
