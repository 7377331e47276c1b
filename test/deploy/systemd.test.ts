import { describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const folder = resolve(import.meta.dir, '../../deploy/systemd')
const units = ['asfiled.service', 'asfiled-worker.service']
const hasAnalyze = Bun.which('systemd-analyze') !== null
if (!hasAnalyze) console.log('skipped: there is no systemd-analyze (Debian: apt-get install systemd)')

const analyze = async (...words: string[]) => {
  const child = Bun.spawn(['systemd-analyze', '--no-pager', ...words], {
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 60_000,
  })
  const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text())
  return { code: await child.exited, output }
}

describe('units of systemd', () => {
  test('stop later than the server does: after DRAIN_DELAY_MS, 20 seconds and a minute', async () => {
    for (const unit of units) {
      const text = await Bun.file(join(folder, unit)).text()
      expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(80)
    }
  })

  test.skipIf(!hasAnalyze)('have no setting that systemd does not know', async () => {
    // The units name a path that only an installation has.
    const root = mkdtempSync(join(tmpdir(), 'asfiled-units-'))
    try {
      mkdirSync(join(root, 'units'))
      for (const unit of units) {
        const text = await Bun.file(join(folder, unit)).text()
        writeFileSync(
          join(root, 'units', unit),
          text.replaceAll('ExecStart=/opt/asfiled/bin/bun', 'ExecStart=/bin/true'),
        )
      }
      for (const unit of units) {
        const { code, output } = await analyze('verify', '--man=no', join(root, 'units', unit))
        expect([unit, code, output.split('\n').filter(line => line.includes('asfiled'))]).toEqual([
          unit,
          0,
          [],
        ])
      }
    } finally {
      rmSync(root, { recursive: true })
    }
  })

  test.skipIf(!hasAnalyze)(
    'expose little of the machine: at most 1.5 of 10 by systemd-analyze security',
    async () => {
      for (const unit of units) {
        // The threshold is in tenths.
        const { code, output } = await analyze(
          'security',
          '--offline=true',
          '--threshold=15',
          join(folder, unit),
        )
        expect([unit, code, /Overall exposure level for \S+: [\d.]+/.exec(output)?.[0]]).toEqual([
          unit,
          0,
          expect.any(String),
        ])
      }
    },
  )
})
