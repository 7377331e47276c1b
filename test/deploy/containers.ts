import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { schemaNumber } from '../../src/commands/operations/installation.ts'
import { readShipped } from '../../src/postgres/history.ts'

interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Podman {
  run(...words: string[]): Promise<Run>
  /** `podman run --detach`, with what this machine needs for it. */
  start(...words: string[]): Promise<Run>
}

async function command(words: readonly string[], timeoutMs: number): Promise<Run> {
  const child = Bun.spawn([...words], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', timeout: timeoutMs })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err }
}

/** Runtimes of Debian. One of them refuses machines with two versions of cgroups. */
const runtimes = [[], ['--runtime', 'runc']] as const

/** Podman lowers its own limit of processes to 32,768 before it starts a container. */
const maxLimit = 30_000

/** Podman gives a container more than this process may have, which some machines refuse. */
function ownLimits(): string[] {
  const text = readFileSync('/proc/self/limits', 'utf8')
  const names = { nofile: 'Max open files', nproc: 'Max processes' }
  return Object.entries(names).flatMap(([name, label]) => {
    const hard = new RegExp(`^${label}\\s+\\S+\\s+(\\d+)`, 'm').exec(text)?.[1]
    const limit = Math.min(Number(hard), maxLimit)
    return hard === undefined ? [] : ['--ulimit', `${name}=${limit}:${limit}`]
  })
}

/** Builds the image from this tree and finds out how it is run here. null: this machine cannot, which is reported. */
export async function findPodman(root: string, image: string): Promise<Podman | null> {
  if (Bun.which('podman') === null || Bun.which('buildah') === null)
    return skip('there is no podman or no buildah')
  if ((await command(['podman', 'image', 'exists', 'debian:bookworm-slim'], 60_000)).code !== 0)
    console.log('debian:bookworm-slim is not here: the build pulls it')
  const runc = Bun.which('runc')
  const builds = [
    ['--isolation', 'oci'],
    ...(runc === null ? [] : [['--isolation', 'oci', '--runtime', runc]]),
  ]
  let failure = ''
  for (const build of builds) {
    const words = [
      'buildah',
      'build',
      ...build,
      '--layers',
      '--format',
      'docker',
      '--target',
      'asfiled',
      '--tag',
      image,
      root,
    ]
    const built = await command(words, 900_000)
    failure = built.err.slice(-500)
    if (built.code !== 0) continue
    const limits = ownLimits()
    for (const runtime of runtimes) {
      const tried = await command(['podman', ...runtime, 'run', '--rm', ...limits, image, 'version'], 120_000)
      failure = tried.err.slice(-500)
      if (tried.code === 0)
        return {
          run: (...rest) => command(['podman', ...runtime, ...rest], 300_000),
          start: (...rest) => command(['podman', ...runtime, 'run', '--detach', ...limits, ...rest], 300_000),
        }
    }
  }
  return skip(failure)
}

function skip(reason: string): null {
  console.log(`skipped: the container cannot be built and run here: ${reason}`)
  return null
}

export const migrationsOf = async (root: string) => schemaNumber(await readShipped(resolve(root, 'sql')))
