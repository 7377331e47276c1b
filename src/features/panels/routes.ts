import { Elysia } from 'elysia'
import { dataHeaders, encodedAnswer, jsonType, unchanged } from '../../http/answers.ts'
import { type BodyReader, bodyFormat } from '../../http/body.ts'
import { type Answer, type Call, requireQuant } from '../../http/context.ts'
import { type RouteMaker, unhurried } from '../../http/handler.ts'
import { answerHeaders, entityTag } from '../../http/headers.ts'
import { noQuery, pathReader } from '../../http/parameters.ts'
import type { Services } from '../../http/services.ts'
import {
  deletePanelOperation,
  listPanelsOperation,
  readPanelOperation,
  storePanelOperation,
} from './documentation.ts'
import { PanelParams } from './schema.ts'

const path = '/api/v1/panels'
const readId = pathReader('id', PanelParams.properties.id)

/** /api/v1/panels and what is below it: rows that are sent once and named by backtests after that. */
export function panels(services: Services, route: RouteMaker, bodies: BodyReader) {
  const { panels: verbs } = services
  const idOf = (call: Call) => readId(call.path.slice(path.length + 1))

  async function store(call: Call): Promise<Answer> {
    const keyId = requireQuant(call)
    const { signal, headers } = call.request
    const format = bodyFormat(headers)
    noQuery(call)
    const keep = async (bytes: Uint8Array<ArrayBuffer>) => {
      const { panel, created } = await verbs.store(keyId, bytes, format, signal)
      const answer = plain(panel, created ? 201 : 200)
      if (created) answer.headers.set('Location', `${path}/${panel.id}`)
      return answer
    }
    return unhurried(call, () => bodies.use(call, keep))
  }

  async function list(call: Call): Promise<Answer> {
    const keyId = requireQuant(call)
    noQuery(call)
    return data(call, await verbs.list(keyId))
  }

  async function read(call: Call): Promise<Answer> {
    const keyId = requireQuant(call)
    noQuery(call)
    return data(call, await verbs.read(keyId, idOf(call)))
  }

  async function remove(call: Call): Promise<Answer> {
    const keyId = requireQuant(call)
    noQuery(call)
    const id = idOf(call)
    await verbs.delete(keyId, id)
    return plain({ object: 'panel', id, deleted: true }, 200)
  }

  const stored = route(path, 'key', store)
  const listed = route(path, 'key', list)
  const found = route(`${path}/{id}`, 'key', read)
  const removed = route(`${path}/{id}`, 'key', remove)
  return new Elysia()
    .post(path, ({ request }) => stored(request), { parse: 'none', detail: storePanelOperation })
    .get(path, ({ request }) => listed(request), { detail: listPanelsOperation })
    .get(`${path}/:id`, ({ request }) => found(request), { detail: readPanelOperation })
    .delete(`${path}/:id`, ({ request }) => removed(request), { parse: 'none', detail: deletePanelOperation })
}

async function data(call: Call, value: object): Promise<Answer> {
  const text = JSON.stringify(value)
  const headers = dataHeaders(jsonType, entityTag(0, text))
  return unchanged(call, headers) ?? encodedAnswer(call, text, headers)
}

function plain(value: object, status: number): Answer {
  const headers = { 'Content-Type': jsonType, 'Cache-Control': 'no-store', Vary: 'Authorization' }
  return { status, headers: answerHeaders(headers), body: JSON.stringify(value) }
}
