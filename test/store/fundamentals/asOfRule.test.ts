import { expect, test } from 'bun:test'
import { resolve } from 'node:path'

const root = resolve(import.meta.dir, '../../..')

/** A statement that names the table itself. */
const touchesFact = /\b(?:from|join|into|update|only|table|copy)\s+(?:public\.)?"?fact"?(?![\w_])/i

test('only the write side names the table fact; every reader goes through fact_as_of', async () => {
  const found: string[] = []
  for await (const file of new Bun.Glob('{src,workers}/**/*.{ts,sql}').scan(root)) {
    if (file.startsWith('src/store/facts/')) continue
    const text = await Bun.file(resolve(root, file)).text()
    const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\/\/[^\n]*/g, '')
    if (touchesFact.test(code)) found.push(file)
  }
  expect(found).toEqual([])
})

test('the rule sees what it forbids', () => {
  expect(touchesFact.test('select * from fact where')).toBe(true)
  expect(touchesFact.test('JOIN  public.fact f')).toBe(true)
  expect(touchesFact.test('from fact_as_of(now())')).toBe(false)
})
