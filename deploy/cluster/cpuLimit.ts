import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './processes.ts'

/** Linux's default: systemd, podman and docker use it too. */
const periodMicros = 100_000

/** Where control groups that limit processor time are made, in the first or second version of the kernel's interface. */
const roots = [
  {
    folder: '/sys/fs/cgroup/cpu',
    isUsable: (folder: string) => existsSync(join(folder, 'cpu.cfs_quota_us')),
    write: (group: string, quota: number | null) => {
      writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodMicros))
      writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quota ?? -1))
    },
  },
  {
    folder: '/sys/fs/cgroup',
    isUsable: (folder: string) => {
      const file = join(folder, 'cgroup.subtree_control')
      return existsSync(file) && readFileSync(file, 'utf8').trim().split(' ').includes('cpu')
    },
    write: (group: string, quota: number | null) =>
      writeFileSync(join(group, 'cpu.max'), `${quota ?? 'max'} ${periodMicros}`),
  },
] as const

/**
 * A control group whose processes together get at most a share of a core, as with `podman --cpus` or `CPUQuota=` of systemd: the kernel
 * stops all their threads for the rest of each tenth of a second once the share is used, however idle the machine is.
 */
export class CpuLimit {
  readonly #group: string
  readonly #write: (group: string, quota: number | null) => void

  private constructor(group: string, write: (group: string, quota: number | null) => void) {
    this.#group = group
    this.#write = write
  }

  /** A group without a limit yet; null: this account may not make groups here. */
  static create(name: string): CpuLimit | null {
    for (const { folder, isUsable, write } of roots) {
      if (!isUsable(folder)) continue
      const limit = new CpuLimit(join(folder, name), write)
      try {
        mkdirSync(limit.#group)
      } catch {
        continue
      }
      return limit
    }
    return null
  }

  /** Whether this account may make such groups here. */
  static async isAvailable(): Promise<boolean> {
    const probe = CpuLimit.create(`asfiled-probe-${process.pid}`)
    await probe?.remove()
    return probe !== null
  }

  /** The command with which a program starts inside the group, also after a restart. */
  wrap(command: readonly string[]): string[] {
    const enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
    return ['sh', '-c', enter, this.#group, ...command]
  }

  /** @param cores null: no limit */
  setCores(cores: number | null): void {
    this.#write(this.#group, cores === null ? null : Math.round(cores * periodMicros))
  }

  /** Removes the group once its processes have ended. */
  async remove(): Promise<void> {
    await until(
      `no process is left in ${this.#group}`,
      async () => {
        rmdirSync(this.#group)
        return true
      },
      5_000,
    )
  }
}
