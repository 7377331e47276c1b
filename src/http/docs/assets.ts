import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../errors.ts'
import type { Answer, Call } from '../Call.ts'
import { unchanged } from '../dataAnswer.ts'
import { chooseEncoding, compress, type Encoding } from '../encoding.ts'
import { entityTag } from '../entityTag.ts'
import { answerHeaders } from '../headers.ts'

const library = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))

/** All that the pages load, and all that is served: nothing comes from another host. */
const files: Record<string, { path: string; type: string }> = {
  'swagger-ui.css': { path: resolve(library, 'swagger-ui.css'), type: 'text/css; charset=utf-8' },
  'swagger-ui-bundle.js': {
    path: resolve(library, 'swagger-ui-bundle.js'),
    type: 'text/javascript; charset=utf-8',
  },
  'favicon-32x32.png': { path: resolve(library, 'favicon-32x32.png'), type: 'image/png' },
  'docs.css': { path: resolve(import.meta.dir, 'docs.css'), type: 'text/css; charset=utf-8' },
  'docs.js': { path: resolve(import.meta.dir, 'docs.js'), type: 'text/javascript; charset=utf-8' },
}

/** Loaded and compressed once for each encoding that was asked for. */
const kept = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

function load(name: string, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const key = `${encoding} ${name}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const made =
    encoding === 'identity'
      ? Bun.file(files[name].path).bytes()
      : load(name, 'identity').then(bytes => compress(bytes, encoding))
  kept.set(key, made)
  made.catch(() => kept.delete(key))
  return made
}

export async function assetAnswer(call: Call, name: string): Promise<Answer> {
  if (!Object.hasOwn(files, name)) {
    throw new Failure(
      'route_unknown',
      `There is no ${name.slice(0, 100)} here. The documentation is at /docs.`,
    )
  }
  const { type } = files[name]
  const plain = await load(name, 'identity')
  const headers: Record<string, string> = {
    'Content-Type': type,
    ETag: entityTag(0, `${name} ${Bun.hash.xxHash64(plain)}`),
    'Cache-Control': 'public, max-age=3600',
    Vary: 'Accept-Encoding',
  }
  const same = unchanged(call, headers)
  if (same !== null) return same
  const wanted = chooseEncoding(call.request.headers.get('accept-encoding'))
  const encoding = type === 'image/png' ? 'identity' : wanted
  if (encoding !== 'identity') headers['Content-Encoding'] = encoding
  return { status: 200, headers: answerHeaders(headers), body: new Blob([await load(name, encoding)]) }
}
