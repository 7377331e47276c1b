import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { circlesOf, folderCircles, mutualFolders } from './circles.ts'
import { nonEmpty } from './nonEmpty.ts'

const root = resolve(import.meta.dir, '..')

/** Which room may import which. ARCHITECTURE.md shows the same table. A room is a folder of `src`, or a file that lies
 * there by itself. What is not named is closed. */
const rooms: Record<string, readonly string[]> = {
  main: ['boot', 'config', 'errors'],
  cli: ['commands', 'boot', 'config', 'errors'],
  boot: ['*'],
  commands: ['*'],
  features: [
    'http',
    'jobs',
    'access',
    'rights',
    'limits',
    'markets',
    'formats',
    'facts',
    'wholeFilings',
    'standardLines',
    'backtest',
    'prices',
    'postgres',
    'dates',
    'instants',
    'zones',
    'cron',
    'horizons',
    'spelling',
    'semaphore',
    'html',
    'trace',
    'errors',
  ],
  http: ['access', 'rights', 'limits', 'formats', 'backtest', 'html', 'dates', 'trace', 'errors'],
  jobs: ['http', 'postgres', 'trace', 'errors'],
  telemetry: ['postgres', 'errors'],
  ingest: [
    'facts',
    'markets',
    'wholeFilings',
    'standardLines',
    'formats',
    'postgres',
    'dates',
    'zones',
    'errors',
  ],
  wholeFilings: ['postgres', 'dates', 'instants', 'errors'],
  prices: ['wholeFilings', 'postgres', 'dates', 'instants'],
  standardLines: ['markets', 'wholeFilings', 'dates'],
  backtest: ['markets', 'formats', 'prices', 'horizons', 'html', 'dates', 'instants', 'zones', 'errors'],
  access: ['rights', 'limits', 'postgres', 'dates', 'errors'],
  rights: ['postgres', 'dates', 'instants', 'errors'],
  limits: ['postgres', 'errors'],
  markets: ['dates', 'instants', 'zones', 'spelling', 'errors'],
  facts: ['markets', 'dates', 'errors'],
  formats: ['dates', 'errors'],
  postgres: ['semaphore', 'dates', 'instants', 'trace', 'errors'],
  config: ['cron', 'errors', 'registerSettings'],
  registerSettings: [],
  cron: [],
  dates: [],
  instants: ['dates', 'zones'],
  zones: [],
  horizons: [],
  spelling: [],
  semaphore: [],
  html: [],
  trace: [],
  errors: [],
  workers: ['backtest', 'dates', 'errors'],
}

/** Which feature may import which other one. ARCHITECTURE.md says why. */
const features: Record<string, readonly string[]> = {
  companies: [],
  syncs: [],
  coverage: ['companies', 'syncs'],
  companyProfile: ['companies', 'coverage'],
  fundamentals: ['companies', 'coverage', 'syncs', 'asOfJoins', 'valuations'],
  marketPages: ['companies', 'fundamentals'],
  crossSection: ['asOfJoins', 'companies', 'fundamentals', 'marketPages', 'valuations'],
  frames: ['companies', 'fundamentals', 'marketPages'],
  restatements: ['companies', 'fundamentals', 'marketPages'],
  filings: ['companies', 'fundamentals', 'marketPages'],
  statements: ['companies', 'fundamentals', 'marketPages'],
  strategies: ['asOfJoins', 'companies', 'fundamentals', 'marketPages', 'valuations'],
  universe: ['companies', 'fundamentals', 'marketPages'],
  catalogue: ['companies'],
  search: [],
  pages: [
    'companies',
    'prices',
    'asOfJoins',
    'valuations',
    'coverage',
    'companyProfile',
    'fundamentals',
    'filings',
    'crossSection',
    'restatements',
    'statements',
    'marketPages',
    'search',
    'strategies',
    'universe',
  ],
  signals: [],
  bulk: [],
  duckdbViews: ['bulk'],
  changes: ['bulk'],
  panels: [],
  prices: ['companies', 'marketPages'],
  asOfJoins: ['companies'],
  valuations: ['asOfJoins'],
  audits: ['asOfJoins', 'companies', 'statements'],
  auditPage: ['audits', 'asOfJoins'],
  backtests: ['panels', 'asOfJoins', 'companies', 'prices'],
  sharedReports: ['account', 'backtests', 'bulk'],
  backtestPage: ['backtests', 'prices', 'sharedReports', 'signals'],
  health: ['syncs'],
  agentTools: [
    'search',
    'coverage',
    'companyProfile',
    'fundamentals',
    'filings',
    'crossSection',
    'restatements',
    'statements',
    'frames',
    'catalogue',
    'audits',
    'backtests',
  ],
  account: [],
  licensing: ['account'],
  orders: ['account'],
  admin: ['account', 'licensing', 'orders'],
}

/** Folders that may import each other: a parent that lists its parts (entry points, commands, routes, tools) and shares
 * code with them, and the kernel, which uses the settings of the portfolios that it simulates. */
const listedParts = [
  'src src/boot',
  'src src/commands',
  'src/backtest/portfolio src/backtest/portfolio/kernel',
  'src/commands src/commands/accounts',
  'src/commands src/commands/operations',
  'src/features/account src/features/account/pages',
  'src/features/admin src/features/admin/pages',
  'src/features/agentTools src/features/agentTools/tools',
  'src/features/backtests src/features/backtests/submitted',
  'src/features/pages src/features/pages/company',
]

/** Packages that one room wraps for all others. */
const packageRooms: Record<string, readonly string[]> = {
  postgres: ['postgres', 'features'],
  elysia: ['http', 'features', 'boot'],
  '@elysiajs/swagger': ['http'],
  piscina: ['backtest'],
  commander: ['commands', 'cli'],
  'cli-progress': ['commands'],
  pino: ['boot', 'http'],
  'graphile-worker': ['jobs'],
  '@modelcontextprotocol/server': ['features'],
  '@modelcontextprotocol/server/stdio': ['features'],
  pg: ['jobs'],
  'prom-client': ['telemetry'],
  nodemailer: ['features'],
  tldts: ['access'],
  croner: ['cron', 'config'],
}

interface Source {
  readonly path: string
  readonly room: string
  readonly text: string
  /** Files of the repository that it imports, types included. */
  readonly imports: readonly string[]
  readonly packages: readonly string[]
}

/** src/http/a.ts -> http; src/errors.ts -> errors; workers/a.ts -> workers. */
function roomOf(path: string): string {
  const parts = path.split('/')
  if (parts[0] === 'workers') return 'workers'
  return parts.length === 2 ? parts[1].replace(/\.ts$/, '') : parts[1]
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]/g

const importsOf = (text: string): string[] =>
  [...text.matchAll(importPattern)].map(match => match[1] ?? match[2])

function read(path: string, text: string): Source {
  const targets = importsOf(text)
  const imports = targets
    .filter(target => target.startsWith('.'))
    .map(target => relative(root, resolve(root, dirname(path), target)))
    .filter(target => /^(src|workers)\/.*\.ts$/.test(target))
  return {
    path,
    room: roomOf(path),
    text,
    imports,
    packages: targets.filter(target => !target.startsWith('.')),
  }
}

const all: Source[] = []
for await (const path of new Bun.Glob('{src,workers}/**/*.ts').scan(root))
  all.push(read(path, await Bun.file(resolve(root, path)).text()))
all.sort((a, b) => (a.path < b.path ? -1 : 1))

const graph = new Map(all.map(source => [source.path, source.imports]))

describe('rooms', () => {
  test('every file is in a room that the table names', () => {
    expect(all.length).toBeGreaterThan(20)
    expect(all.filter(source => !(source.room in rooms)).map(source => source.path)).toEqual([])
  })

  test('a room imports only the rooms that the table opens to it', () => {
    const trespasses: string[] = []
    for (const { path, room, imports } of nonEmpty(all)) {
      const open = rooms[room] ?? []
      for (const target of imports) {
        const other = roomOf(target)
        if (other !== room && !open.includes('*') && !open.includes(other))
          trespasses.push(`${path} imports ${target}`)
      }
    }
    expect(trespasses).toEqual([])
  })

  test('a feature imports only the features that the table opens to it', () => {
    const featureOf = (path: string) => /^src\/features\/([^/]+)\//.exec(path)?.[1]
    const trespasses: string[] = []
    for (const { path, imports } of nonEmpty(all)) {
      const own = featureOf(path)
      if (own === undefined) continue
      for (const target of imports) {
        const other = featureOf(target)
        if (other !== undefined && other !== own && !features[own]?.includes(other))
          trespasses.push(`${path} imports ${target}`)
      }
    }
    expect(trespasses).toEqual([])
  })

  test('a package that one room wraps is imported nowhere else', () => {
    const trespasses: string[] = []
    for (const { path, room, packages } of nonEmpty(all))
      for (const name of packages)
        if (packageRooms[name]?.includes(room) === false) trespasses.push(`${path} imports ${name}`)
    expect(trespasses).toEqual([])
  })
})

describe('circles', () => {
  test('no files import each other in a circle, types included', () => {
    expect(circlesOf(graph)).toEqual([])
  })

  test('nor do files of tests, benchmarks, the cluster and the kernel', () => {
    const paths = ['test', 'bench', 'deploy', 'kernel'].flatMap(folder => [
      ...new Bun.Glob(`${folder}/**/*.ts`).scanSync(root),
    ])
    const outside = nonEmpty(paths).map(path => {
      const targets = importsOf(readFileSync(join(root, path), 'utf8')).filter(target =>
        target.startsWith('.'),
      )
      return [path, targets.map(target => relative(root, resolve(root, dirname(path), target)))] as const
    })
    expect(circlesOf(new Map(outside))).toEqual([])
  })

  test('no folders do, at any depth', () => {
    expect(folderCircles(graph)).toEqual([])
  })

  test('parent and child import each other only where the parent lists its parts', () => {
    expect(mutualFolders(graph)).toEqual(listedParts)
    expect(mutualFolders(new Map([['a/x.ts', ['a/b/y.ts']]]))).toEqual([])
  })

  test('planted circles are found', () => {
    const files = new Map([
      ['src/a/one.ts', ['src/b/two.ts']],
      ['src/b/two.ts', ['src/b/three.ts']],
      ['src/b/three.ts', ['src/a/one.ts']],
    ])
    expect(circlesOf(files)).toHaveLength(1)
    expect(folderCircles(files)).toEqual([['src/a/', 'src/b/']])
    const folders = new Map([
      ['src/features/a/one.ts', ['src/features/b/two.ts']],
      ['src/features/b/two.ts', []],
      ['src/features/b/three.ts', ['src/features/a/four.ts']],
      ['src/features/a/four.ts', []],
    ])
    expect(circlesOf(folders)).toEqual([])
    expect(folderCircles(folders)).toEqual([['src/features/a/', 'src/features/b/']])
    const typesOnly = read('src/a/one.ts', "import type { Two } from './two.ts'\n")
    expect(typesOnly.imports).toEqual(['src/a/two.ts'])
  })
})

describe('habits', () => {
  test('the environment is read by main and cli alone, and nothing below boot and commands reads the clock', () => {
    const environment = all.filter(
      ({ text, room }) => /process\.env|Bun\.env/.test(text) && !['main', 'cli'].includes(room),
    )
    expect(environment.map(source => source.path)).toEqual([])
    const clockless = [
      'backtest',
      'facts',
      'markets',
      'formats',
      'ingest',
      'features',
      'access',
      'rights',
      'dates',
    ]
    const clocks = all.filter(
      ({ text, room }) => clockless.includes(room) && /Date\.now\(|new Date\(\)|Math\.random\(/.test(text),
    )
    expect(clocks.map(source => source.path)).toEqual([])
  })

  /** A statement that names the table of facts itself. */
  const namesFacts = /\b(?:from|join|into|update|only|table|copy)\s+(?:public\.)?"?fact"?(?![\w_])/i

  test('facts are read through fact_as_of alone: only the write side names the table', () => {
    const readers = all.filter(({ path, text }) => {
      if (path.startsWith('src/ingest/store/')) return false
      return namesFacts.test(text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\/\/[^\n]*/g, ''))
    })
    expect(readers.map(source => source.path)).toEqual([])
    expect(namesFacts.test('select * from fact where')).toBe(true)
    expect(namesFacts.test('JOIN  public.fact f')).toBe(true)
    expect(namesFacts.test('from fact_as_of(now())')).toBe(false)
  })

  // A filing imported after a request was admitted is not covered by what its key was granted: readableFilings leaves it out.
  test('the routes of statements list filings in company.ts alone', () => {
    const listing = all.filter(
      ({ path, text }) => path.startsWith('src/features/statements/') && text.includes('listKnownFilings'),
    )
    expect(listing.map(source => source.path)).toEqual(['src/features/statements/company.ts'])
  })

  test('ARCHITECTURE.md names the migration that defines fact_as_of last', () => {
    const defining = readdirSync(join(root, 'sql/migrations'))
      .sort()
      .filter(name =>
        /create (or replace )?function fact_as_of\(/.test(
          readFileSync(join(root, 'sql/migrations', name), 'utf8'),
        ),
      )
    expect(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')).toContain(
      `| the as-of rule, \`fact_as_of\` | \`sql/migrations/${defining.at(-1)}\` |`,
    )
  })

  test('SQL is written in files that are called after it, and in postgres', () => {
    const statements = /\b(?:sql|connection|transaction|tx)(?:<[^`]*>)?`/
    const places = /^src\/postgres\/|^src\/ingest\/store\/|[qQ]ueries\.ts$|[qQ]ueue\.ts$/
    const writers = nonEmpty(all).filter(({ path, text }) => statements.test(text) && !places.test(path))
    expect(writers.map(source => source.path)).toEqual([])
  })

  test('types are not given up', () => {
    const loose = /(: any|\bas any)(?=\s*([,;)=\]>|&{[]|$))|<any>|@ts-ignore|@ts-expect-error|as unknown as/m
    expect(
      nonEmpty(all)
        .filter(source => loose.test(source.text))
        .map(source => source.path),
    ).toEqual([])
  })

  test('a path that a document names exists', async () => {
    const missing: string[] = []
    // Bun's glob matches nothing for braces of which only some have a slash.
    const documents = ['*.md', '{docs,sample,bench}/*.md'].flatMap(glob => [
      ...new Bun.Glob(glob).scanSync(root),
    ])
    expect(documents).toContain('ARCHITECTURE.md')
    expect(documents).toContain('docs/backtests.md')
    expect(documents).toContain('bench/README.md')
    for (const file of documents) {
      if (file === 'CHANGELOG.md') continue
      const text = await Bun.file(join(root, file)).text()
      for (const [, path] of text.matchAll(
        /`((?:src|workers|kernel|test|bench|sql|manifests|sample|docs|\.ci|deploy)\/[\w./-]*)`/g,
      )) {
        const isPlaceholder = path?.startsWith('bench/out') || path?.includes('NNNN')
        if (path !== undefined && !isPlaceholder && !existsSync(join(root, path)))
          missing.push(`${file}: ${path}`)
      }
    }
    expect(missing).toEqual([])
  })

  test('no document has the marks of a merge that was not finished', async () => {
    const unfinished: string[] = []
    for (const file of ['*.md', '{docs,sample,bench}/*.md'].flatMap(glob => [
      ...new Bun.Glob(glob).scanSync(root),
    ]))
      if (/^(<{7}|>{7}) /m.test(await Bun.file(join(root, file)).text())) unfinished.push(file)
    expect(unfinished).toEqual([])
  })

  test('no file is named after nothing in particular', () => {
    const vague = all.filter(({ path }) => /(^|\/)(utils?|helpers?|common|misc|lib)(\/|\.ts)/.test(path))
    expect(vague.map(source => source.path)).toEqual([])
  })
})
