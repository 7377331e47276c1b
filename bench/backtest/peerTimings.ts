import { hasCompiler, runPython } from './python.ts'

/** Median milliseconds of the jobs of a peer implementation on one panel. Jobs that were not run are absent. */
export interface PeerTimings {
  readonly single: number
  readonly sweep48?: number
  readonly sweep200?: number
  /** C++ on two threads. */
  readonly sweep200OnTwo?: number
}

interface Report {
  readonly timings: Record<string, { readonly median_s: number } | undefined>
}

function timePeer(folder: string, script: string, panel: string, runs: number, sweeps: string): PeerTimings {
  const args = [script, '--panel', panel, '--repeat', `${runs}`, '--sweep', sweeps, '--budget', '15']
  const { timings }: Report = JSON.parse(runPython(folder, args))
  const ms = (job: string) => 1000 * (timings[job]?.median_s ?? Number.NaN)
  return {
    single: ms('single'),
    sweep48: ms('sweep48'),
    sweep200: ms('sweep200'),
    sweep200OnTwo: ms('sweep200_2threads'),
  }
}

export function timeNumpy(folder: string, panel: string, runs: number, sweeps = ''): PeerTimings {
  return timePeer(folder, 'peer_numpy.py', panel, runs, sweeps)
}

/** null: no compiler is installed. */
export function timeCpp(folder: string, panel: string, runs: number, sweeps = ''): PeerTimings | null {
  return hasCompiler ? timePeer(folder, 'peer_cpp.py', panel, runs, sweeps) : null
}

/** The faster of two measurements, before and after ours: the machine may have been busy during one. */
export function fastest(a: PeerTimings, b: PeerTimings): PeerTimings {
  const min = (x = Number.NaN, y = Number.NaN) => (x <= y || Number.isNaN(y) ? x : y)
  return {
    single: min(a.single, b.single),
    sweep48: min(a.sweep48, b.sweep48),
    sweep200: min(a.sweep200, b.sweep200),
    sweep200OnTwo: min(a.sweep200OnTwo, b.sweep200OnTwo),
  }
}
