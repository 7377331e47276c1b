import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { findAttention } from '../../../src/commands/operations/attention.ts'
import { nothingKnown, type ServiceState } from '../../../src/commands/operations/readStatus.ts'

const alerts = await Bun.file(resolve(import.meta.dir, '../../../deploy/prometheus/alerts.yaml')).text()

/** The number that ends the expression of an alert. */
function limitOf(alert: string): number {
  const found = new RegExp(`alert: ${alert}\\n +expr: .* [<>] ([\\d.]+)\\n`).exec(alerts)
  if (found === null) throw new Error(`There is no alert ${alert}.`)
  return Number(found[1])
}

const rules = { nowMs: 0, schedule: [], isEmbedded: true, maxBackupAgeDays: null }
const subjects = (state: Partial<ServiceState>) =>
  findAttention({ ...nothingKnown(), ...state }, rules).map(({ about }) => about)

describe('status asks for attention where an alert fires', () => {
  test('about the disk', () => {
    const share = limitOf('AsfiledDiskFull')
    const disk = (freeBytes: number) => ({ disk: { folder: '/data', freeBytes, totalBytes: 1e12 } })
    expect(subjects(disk(share * 1e12))).toEqual([])
    expect(subjects(disk(share * 1e12 - 1))).toEqual(['disk'])
  })

  test('about jobs that wait', () => {
    const seconds = limitOf('AsfiledJobsStuck')
    const jobs = (oldestWaitingSeconds: number) => ({
      jobs: { waiting: 1, running: 0, failed: 0, oldestWaitingSeconds },
    })
    expect(subjects(jobs(seconds))).toEqual([])
    expect(subjects(jobs(seconds + 1))).toEqual(['jobs'])
  })
})
