import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Elysia } from 'elysia'
import { Failure } from '../../errors.ts'
import { SharedDocument } from '../answers.ts'
import { noQuery } from '../parameters.ts'
import type { HttpPlugin } from '../plugin.ts'

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
} as const

/** A file made of one part, or of several concatenated parts. */
const asset = (type: keyof typeof types, ...paths: readonly string[]) =>
  new SharedDocument(
    async () => new Blob(await Promise.all(paths.map(path => Bun.file(path).bytes()))).bytes(),
    { 'Content-Type': types[type], 'Cache-Control': 'public, max-age=3600' },
    type !== 'png',
  )

const own = (file: string) => resolve(import.meta.dir, 'assets', file)
const picture = (file: string) => resolve(import.meta.dir, '../../../docs', file)
const swagger = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))

/** Every file that a page loads. None comes from another host, so the pages work offline. */
const assets: Readonly<Record<string, SharedDocument>> = {
  'base.css': asset('css', resolve(import.meta.dir, '../../pageTokens.css'), own('base.css')),
  'theme.js': asset('js', own('theme.js')),
  'search.js': asset('js', own('search.js')),
  'grid.js': asset('js', own('grid.js')),
  'filter.js': asset('js', own('filter.js')),
  'chart.css': asset('css', own('chart.css')),
  'bars.js': asset('js', own('bars.js')),
  'barGeometry.js': asset('js', own('barGeometry.js')),
  'trends.js': asset('js', own('trends.js')),
  'home.css': asset('css', own('home.css')),
  'home.js': asset('js', own('home.js')),
  'company.css': asset('css', own('company.css')),
  'company.js': asset('js', own('company.js')),
  'companyChart.js': asset('js', own('companyChart.js')),
  'statements.css': asset('css', own('statements.css')),
  'compare.css': asset('css', own('compare.css')),
  'lists.css': asset('css', own('lists.css')),
  'strategies.css': asset('css', own('strategies.css')),
  'screen.css': asset('css', own('screen.css')),
  'screen.js': asset('js', own('screen.js')),
  'identity.css': asset('css', own('identity.css')),
  'useThisData.css': asset('css', own('useThisData.css')),
  'useThisData.js': asset('js', own('useThisData.js')),
  'backtest.css': asset('css', own('backtest.css')),
  'backtest.js': asset('js', own('backtest.js')),
  'audit.js': asset('js', own('audit.js')),
  'account.css': asset('css', own('account.css')),
  'account.js': asset('js', own('account.js')),
  'api.css': asset('css', own('api.css')),
  'api.js': asset('js', own('api.js')),
  'swagger-ui.css': asset('css', resolve(swagger, 'swagger-ui.css')),
  'swagger-ui-bundle.js': asset('js', resolve(swagger, 'swagger-ui-bundle.js')),
  'favicon-32x32.png': asset('png', resolve(swagger, 'favicon-32x32.png')),
  'data-flow.svg': asset('svg', picture('data-flow.svg')),
  'house.svg': asset('svg', picture('house.svg')),
}

const prefix = '/assets/'

/** /assets: stylesheets, scripts and images of the pages. */
export const assetRoutes = (http: HttpPlugin) =>
  new Elysia({ name: 'assets' }).use(http).get(
    '/assets/:file',
    // `async` is required: Elysia awaits a handler only if its source text looks asynchronous.
    async ({ context }) => {
      noQuery(context)
      const name = context.path.slice(prefix.length).replace(/\/$/, '')
      if (Object.hasOwn(assets, name)) return assets[name].answer(context)
      throw new Failure('route_unknown', `The pages have no file ${name.slice(0, 100)}.`)
    },
    { access: 'open', detail: { hide: true } },
  )
