import { afterAll, expect, test } from 'bun:test'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RemainingTime, requireFolder, writeFileAtomically } from '../../src/commands/output.ts'
import { Failure } from '../../src/errors.ts'

const folder = mkdtempSync(join(tmpdir(), 'asfiled-write-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a reader of a file that is being replaced sees all of the old or all of the new', async () => {
  const path = join(folder, 'result.json')
  const [old, fresh] = ['a'.repeat(50_000_000), 'b'.repeat(50_000_001)]
  await writeFileAtomically(path, old)
  let written = false
  const writing = writeFileAtomically(path, fresh).then(() => {
    written = true
  })
  while (!written) {
    expect([old.length, fresh.length]).toContain(statSync(path).size)
    await Bun.sleep(0)
  }
  await writing
  expect(readFileSync(path, 'utf8') === fresh).toBe(true)
  expect(readdirSync(folder)).toEqual(['result.json'])
})

test('a failed write reports itself, leaves the old file and no temporary one', async () => {
  const path = join(folder, 'old.json')
  writeFileSync(path, 'old')
  const refused = await writeFileAtomically(join(path, 'inside.json'), 'new').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Failure)
  expect(String(refused)).toContain('could not be written')
  expect(readFileSync(path, 'utf8')).toBe('old')
  expect(readdirSync(folder).filter(name => name.endsWith('.tmp'))).toEqual([])
})

test('a missing folder is not made', async () => {
  const path = join(folder, 'new', 'sheet.html')
  await expect(writeFileAtomically(path, 'one')).rejects.toThrow('could not be written')
  await expect(requireFolder('--html', path)).rejects.toMatchObject({
    code: 'parameter_invalid',
    message: `--html is ${path}, but there is no folder ${join(folder, 'new')}. Create it first, or give another path.`,
  })
  await expect(requireFolder('--html', folder)).rejects.toThrow('which is a folder')
  await requireFolder('--html', join(folder, 'sheet.html'))
  expect(existsSync(join(folder, 'new'))).toBe(false)
})

test('a link stays a link, and a device is written to', async () => {
  const path = join(folder, 'sheet.html')
  await writeFileAtomically(path, 'one')
  const link = join(folder, 'latest.html')
  symlinkSync(path, link)
  await writeFileAtomically(link, 'two')
  expect([readFileSync(path, 'utf8'), readlinkSync(link)]).toEqual(['two', path])
  await writeFileAtomically('/dev/null', 'three')
})

test('the remaining time is estimated from what this run does, not from what an earlier one has done', () => {
  const remaining = new RemainingTime()
  expect(remaining.estimateMs(0, 770, 1_000)).toBeNull()
  // 10 of 1,000 in 5 s, and 220 are left.
  expect(remaining.estimateMs(5_000, 780, 1_000)).toBe(110_000)
  expect(remaining.estimateMs(5_000, 780, 1_000)).toBe(110_000)
  // The first mark was more than a minute ago; since 5 s after it, 20 in 60 s.
  expect(remaining.estimateMs(65_000, 800, 1_000)).toBe(600_000)
  expect(remaining.estimateMs(65_000, 1_000, 1_000)).toBe(0)
})

test('without progress no remaining time is given', () => {
  const remaining = new RemainingTime()
  remaining.estimateMs(0, 5, 10)
  expect(remaining.estimateMs(5_000, 5, 10)).toBeNull()
})

test('the remaining time is estimated even if each observation is more than a minute after the last one', () => {
  const remaining = new RemainingTime()
  remaining.estimateMs(0, 0, 10)
  expect(remaining.estimateMs(90_000, 1, 10)).toBe(810_000)
  expect(remaining.estimateMs(180_000, 3, 10)).toBe(315_000)
})
