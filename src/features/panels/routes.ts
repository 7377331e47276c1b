import { Elysia } from 'elysia'
import { extraColumnName, maxExtraColumns } from '../../backtest/requestColumns.ts'
import { Failure } from '../../errors.ts'
import { dataHeaders, encodedAnswer, jsonType, notModified } from '../../http/answers.ts'
import { type BodyReader, bodyFormat } from '../../http/body.ts'
import { type Answer, type RequestContext, requireQuant, withoutIdleTimeout } from '../../http/context.ts'
import { entityTag } from '../../http/etag.ts'
import { answerHeaders } from '../../http/headers.ts'
import { noQuery, pathReader, queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { demoPrincipal, panelLimits } from '../../rights/licences.ts'
import {
  deletePanelOperation,
  listPanelsOperation,
  readPanelOperation,
  storePanelOperation,
} from './documentation.ts'
import { deletePanel, listPanels, type PanelDeps, readPanel, storePanel } from './panels.ts'
import { PanelParams, PanelUploadQuery } from './schema.ts'

interface PanelRouteDeps {
  readonly panels: PanelDeps
  readonly bodies: BodyReader
  /** Limits how much one key runs and uploads at a time on this server. */
  readonly perKeyLimit: { use<T>(keyId: number, work: () => Promise<T>): Promise<T> }
}

const path = '/api/v1/panels'
const readUpload = queryReader(PanelUploadQuery)

function namesOf(text: string): string[] {
  const names = [...new Set(text.split(','))]
  const wrong = names.find(name => !extraColumnName.test(name))
  if (wrong === undefined && names.length <= maxExtraColumns) return names
  throw new Failure(
    'parameter_invalid',
    wrong === undefined
      ? `columns names ${names.length} columns; the limit is ${maxExtraColumns}.`
      : `columns names ${JSON.stringify(wrong.slice(0, 40))}, but a name has letters, digits and _ only, at most 64.`,
    { param: 'columns' },
  )
}
const readId = pathReader('id', PanelParams.properties.id)
const idOf = (context: RequestContext) => readId(context.path.slice(path.length + 1))

/** /api/v1/panels and its subpaths: rows that a client uploads once and names in later backtests. */
export function panelRoutes(http: HttpPlugin, { panels, bodies, perKeyLimit }: PanelRouteDeps) {
  return new Elysia({ name: 'panels' })
    .use(http)
    .post(
      path,
      ({ context }) => {
        const keyId = requireQuant(context)
        const { signal, headers } = context.request
        const { storedBytes } = panelLimits(context.caller?.rights ?? demoPrincipal)
        const owner = { keyId, maxStoredBytes: storedBytes }
        const format = bodyFormat(headers)
        const { columns } = readUpload(context.queryText)
        const own = columns === undefined ? [] : namesOf(columns)
        return withoutIdleTimeout(context, () =>
          bodies.useSpooled(context, async body => {
            const { panel, created } = await perKeyLimit.use(keyId, () =>
              storePanel(panels, owner, body, format, signal, own),
            )
            const answer = plain(panel, created ? 201 : 200)
            if (created) answer.headers.set('Location', `${path}/${panel.id}`)
            return answer
          }),
        )
      },
      { ...storePanelOperation, parse: 'none' },
    )
    .get(
      path,
      async ({ context }) => {
        const keyId = requireQuant(context)
        noQuery(context)
        return data(context, await listPanels(panels.sql, keyId))
      },
      { ...listPanelsOperation },
    )
    .get(
      `${path}/:id`,
      async ({ context }) => {
        const keyId = requireQuant(context)
        noQuery(context)
        return data(context, await readPanel(panels.sql, keyId, idOf(context)))
      },
      { ...readPanelOperation },
    )
    .delete(
      `${path}/:id`,
      async ({ context }) => {
        const keyId = requireQuant(context)
        noQuery(context)
        const id = idOf(context)
        await deletePanel(panels, keyId, id)
        return plain({ object: 'panel', id, deleted: true }, 200)
      },
      { ...deletePanelOperation, parse: 'none' },
    )
}

async function data(context: RequestContext, value: object): Promise<Answer> {
  const text = JSON.stringify(value)
  const headers = dataHeaders(jsonType, entityTag(0, text))
  return notModified(context, headers) ?? encodedAnswer(context, text, headers)
}

function plain(value: object, status: number): Answer {
  const headers = { 'Content-Type': jsonType, 'Cache-Control': 'no-store', Vary: 'Authorization' }
  return { status, headers: answerHeaders(headers), body: JSON.stringify(value) }
}
