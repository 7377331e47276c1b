import { Elysia } from 'elysia'
import type { ResultForm, SentBody } from '../../backtest/request.ts'
import { dataHeaders, encodedAnswer, jsonType, pageHeaders } from '../../http/answers.ts'
import { type BodyReader, bodyFormat } from '../../http/body.ts'
import { type Answer, type Call, requireQuant } from '../../http/context.ts'
import { type RouteMaker, unhurried } from '../../http/handler.ts'
import { entityTag } from '../../http/headers.ts'
import { idempotencyKey, prefersAsync, prefersHtml } from '../../http/preferences.ts'
import type { Services } from '../../http/services.ts'
import { backtestOperation } from './documentation.ts'
import { withSubmission } from './jobs/documentation.ts'
import { acceptedAnswer } from './jobs/routes.ts'
import { bodyQuery } from './query.ts'

const varies = { Vary: 'Accept, Accept-Encoding, Authorization, Prefer' }

/** POST /api/v1/backtest: the bytes of the body go to the workers unparsed, or into the database to be run later. */
export function backtest(services: Services, route: RouteMaker, bodies: BodyReader) {
  async function work(call: Call): Promise<Answer> {
    const keyId = requireQuant(call)
    const { headers } = call.request
    const format = bodyFormat(headers)
    const key = idempotencyKey(headers)
    const { query, form: named } = bodyQuery(call, format)
    const form = named ?? (prefersHtml(headers.get('accept')) ? 'html' : 'json')
    const answerTo = async (bytes: Uint8Array<ArrayBuffer>) => {
      const body: SentBody = { bytes, format, query }
      if (prefersAsync(headers.get('prefer'))) {
        const request = { keyId, requestId: call.id, body, idempotencyKey: key }
        return acceptedAnswer(await services.jobs.submit(request), services.settings.baseUrl)
      }
      const asked = `backtest ${format} ${form} ${call.queryText} ${Bun.hash.xxHash64(bytes)}`
      const tag = entityTag(services.dataVersion(), asked)
      const make = () => services.runBacktest(keyId, body, form, call.request.signal)
      if (key === null) return answered(call, await make(), tag, form)
      const request = { keyId, idempotencyKey: key, body, beside: form }
      const { bytes: once, replayed } = await services.jobs.answerOnce(request, make)
      return answered(call, once, tag, form, replayed ? { 'Idempotency-Replayed': 'true' } : {})
    }
    return unhurried(call, () => bodies.use(call, answerTo))
  }

  function answered(
    call: Call,
    bytes: Uint8Array<ArrayBuffer>,
    tag: string,
    form: ResultForm,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const own = form === 'html' ? pageHeaders(services.tearSheet.policy, tag) : dataHeaders(jsonType, tag)
    return encodedAnswer(call, bytes, { ...own, ...varies, ...more })
  }

  const handle = route('/api/v1/backtest', 'key', work)
  return new Elysia().post('/api/v1/backtest', ({ request }) => handle(request), {
    parse: 'none',
    detail: withSubmission(backtestOperation),
  })
}
