import { describe, expect, test } from 'bun:test'
import { dirname, relative, resolve } from 'node:path'

const root = resolve(import.meta.dir, '..')

/** Who may import whom. A room not named on the right is closed. Packages are listed where only one room may
 * know them. This table is the one in ARCHITECTURE.md. */
const mayEnter: Record<string, readonly string[]> = {
  main: ['*'],
  cli: ['*'],
  boot: ['*'],
  config: ['errors'],
  errors: [],
  model: ['errors'],
  http: ['domain', 'model', 'errors'],
  web: ['domain', 'model', 'errors'],
  domain: ['store', 'compute', 'quant', 'registers', 'model', 'errors'],
  store: ['model', 'errors'],
  compute: ['quant', 'model', 'errors'],
  quant: [],
  registers: ['model', 'errors'],
  workers: ['quant', 'compute', 'web', 'model', 'errors', 'registers'],
}

const packageRooms: Record<string, readonly string[]> = {
  postgres: ['store', 'boot'],
  elysia: ['http', 'boot'],
  '@elysiajs/swagger': ['http'],
  piscina: ['compute'],
  commander: ['cli'],
  'cli-progress': ['cli'],
  pino: ['boot', 'http', 'main'],
  'graphile-worker': ['store'],
}

interface Source {
  path: string
  room: string
  text: string
}

/** src/http/a.ts -> http; src/errors.ts -> errors; workers/a.ts -> workers. */
function roomOf(path: string): string {
  const parts = path.split('/')
  if (parts[0] === 'workers') return 'workers'
  return parts.length === 2 ? parts[1].replace(/\.ts$/, '') : parts[1]
}

async function sources(): Promise<Source[]> {
  const found: Source[] = []
  for (const folder of ['src', 'workers']) {
    for await (const name of new Bun.Glob(`${folder}/**/*.ts`).scan(root)) {
      found.push({ path: name, room: roomOf(name), text: await Bun.file(resolve(root, name)).text() })
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const all = await sources()
const importPattern =
  /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]/g

function importsOf(source: Source): string[] {
  return [...source.text.matchAll(importPattern)].map(match => match[1] ?? match[2])
}

describe('architecture', () => {
  test('every file stands in a room that the table names', () => {
    expect(all.length).toBeGreaterThan(20)
    expect(all.filter(source => !(source.room in mayEnter)).map(source => source.path)).toEqual([])
  })

  test('a room imports only the rooms that the table opens to it', () => {
    const trespasses: string[] = []
    for (const source of all) {
      const open = mayEnter[source.room] ?? []
      for (const target of importsOf(source)) {
        if (!target.startsWith('.')) continue
        const path = relative(root, resolve(root, dirname(source.path), target))
        if (!path.startsWith('src/') && !path.startsWith('workers/')) continue
        const room = roomOf(path)
        if (room !== source.room && !open.includes('*') && !open.includes(room)) {
          trespasses.push(`${source.path} imports ${path}`)
        }
      }
    }
    expect(trespasses).toEqual([])
  })

  test('a package that is one room’s business is imported nowhere else', () => {
    const trespasses: string[] = []
    for (const source of all) {
      for (const target of importsOf(source)) {
        const rooms = packageRooms[target]
        if (rooms && !rooms.includes(source.room)) trespasses.push(`${source.path} imports ${target}`)
      }
    }
    expect(trespasses).toEqual([])
  })

  test('the environment is read by main and cli alone, and nothing below them reads the clock', () => {
    const environment = all.filter(
      source => /process\.env|Bun\.env/.test(source.text) && !['main', 'cli'].includes(source.room),
    )
    expect(environment.map(source => source.path)).toEqual([])
    const clockless = ['quant', 'model', 'registers', 'domain']
    const clocks = all.filter(
      source =>
        clockless.includes(source.room) && /Date\.now\(|new Date\(\)|Math\.random\(/.test(source.text),
    )
    expect(clocks.map(source => source.path)).toEqual([])
  })

  test('facts are read through fact_as_of alone: only the write side names the table', () => {
    const readers = all.filter(source => /\b(?:from|join)\s+fact\b/.test(source.text))
    expect(
      readers.filter(source => !source.path.startsWith('src/store/facts/')).map(source => source.path),
    ).toEqual([])
  })

  test('SQL is written in the store alone', () => {
    const statements = /\b(?:sql|connection|transaction|tx)(?:<[^`]*>)?`/
    const writers = all.filter(source => statements.test(source.text) && source.room !== 'store')
    expect(writers.map(source => source.path)).toEqual([])
  })

  test('types are not given up', () => {
    const loose = /(: any|\bas any)(?=\s*([,;)=\]>|&{[]|$))|<any>|@ts-ignore|@ts-expect-error|as unknown as/m
    expect(all.filter(source => loose.test(source.text)).map(source => source.path)).toEqual([])
  })

  test('no file grows past 300 lines, and no room is called utils', () => {
    const long = all.filter(source => source.text.split('\n').length > 301)
    expect(long.map(source => `${source.path} ${source.text.split('\n').length}`)).toEqual([])
    const vague = all.filter(source => /(^|\/)(utils?|helpers?|common|misc|lib)(\/|\.ts)/.test(source.path))
    expect(vague.map(source => source.path)).toEqual([])
  })
})
