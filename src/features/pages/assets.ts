import { resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import { SharedDocument } from '../../http/answers.ts'
import type { Answer, RequestContext } from '../../http/context.ts'

const css = 'text/css; charset=utf-8'
const script = 'text/javascript; charset=utf-8'

const asset = (file: string, type: string) =>
  new SharedDocument(() => Bun.file(resolve(import.meta.dir, 'assets', file)).bytes(), {
    'Content-Type': type,
    'Cache-Control': 'public, max-age=3600',
  })

/** Every asset of the pages, all of this server: the pages work without internet. */
const assets: Readonly<Record<string, SharedDocument>> = {
  'site.css': asset('site.css', css),
  'backtest.css': asset('backtest.css', css),
  'backtest.js': asset('backtest.js', script),
  'search.js': asset('search.js', script),
  'home.js': asset('home.js', script),
  'company.js': asset('company.js', script),
  'filter.js': asset('filter.js', script),
}

export function assetAnswer(context: RequestContext, name: string): Promise<Answer> {
  if (Object.hasOwn(assets, name)) return assets[name].answer(context)
  throw new Failure('route_unknown', `There is no file ${name.slice(0, 100)} of the pages.`)
}
