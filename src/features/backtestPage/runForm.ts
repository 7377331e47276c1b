import type { BacktestSettings } from '../../backtest/panelFile/panelBody.ts'
import { reportSections } from '../../backtest/report/reportSections.ts'
import { Failure } from '../../errors.ts'
import { type Horizon, horizons } from '../../horizons.ts'
import type { BodyReader, Sender } from '../../http/body.ts'
import type { RequestContext } from '../../http/context.ts'

/** The fields of the form, as they were typed. They are shown again with a fault. */
export const fieldNames = [
  ...['rows', 'market', 'horizon', 'from', 'to', 'score', 'maxAgeDays', 'fileHorizon'],
  ...['direction', 'quantile', 'weighting', 'holdDays', 'returnDays', 'costBps', 'borrowBps', 'gross'],
  ...['neutral', 'benchmark', 'drift', 'folds', 'run', 'quantiles', 'weightings', 'holds', 'do'],
] as const
export type FieldName = (typeof fieldNames)[number]
export type Typed = Readonly<Partial<Record<FieldName, string>>>

/** A form as it was sent. */
export interface SubmittedForm {
  readonly typed: Typed
  readonly file: File | null
}

const maxFieldLength = 400
const unprintable = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u
const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data']

/** Passes the form of a page of ours to `act`. Its bytes count towards the memory of all bodies until `act` is done.
 *
 * @param sender whose bytes they are, if not the visitor's */
export function useForm<T>(
  context: RequestContext,
  bodies: BodyReader,
  act: (form: SubmittedForm) => Promise<T>,
  sender?: Sender,
): Promise<T> {
  const type = context.request.headers.get('content-type') ?? ''
  if (!formTypes.includes(type.split(';')[0]?.trim().toLowerCase() ?? ''))
    throw new Failure('media_type_unsupported', 'Send the form as its page does.', { param: 'Content-Type' })
  return bodies.use(context, async bytes => act(await parseForm(bytes, type)), { sender })
}

async function parseForm(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<SubmittedForm> {
  const fields = await new Response(bytes, { headers: { 'Content-Type': type } }).formData().catch(cause => {
    throw new Failure('body_invalid', 'The form arrived damaged. Send it again.', { param: 'body', cause })
  })
  const typed: Partial<Record<FieldName, string>> = {}
  for (const name of fieldNames) {
    const value = fields.get(name)
    if (typeof value !== 'string' || value.trim() === '') continue
    if (value.length > maxFieldLength || unprintable.test(value) || !value.isWellFormed())
      throw new Failure(
        'parameter_invalid',
        `The field ${name} is too long or has characters that are not allowed.`,
        { param: name },
      )
    typed[name] = value.trim()
  }
  const file = fields.get('file')
  return { typed, file: file instanceof File && file.size > 0 ? file : null }
}

const numbers = ['quantile', 'holdDays', 'returnDays', 'costBps', 'borrowBps', 'gross', 'folds'] as const
const texts = ['direction', 'weighting', 'neutral'] as const

/** The fields as settings of a request. They are checked as those of the API, by its schema: only what is no number is refused
 * here. */
export function settingsOf(typed: Typed): BacktestSettings {
  const config: Record<string, string | number | true> = {}
  for (const name of texts) if (typed[name] !== undefined) config[name] = typed[name]
  for (const name of numbers) if (typed[name] !== undefined) config[name] = numberOf(name, typed[name])
  if (typed.drift !== undefined) config.drift = true
  const sweep = sweepOf(typed)
  const benchmark = benchmarkOf(typed)
  // A grid says what it tries: the same fields of one configuration do not matter to it.
  if (sweep !== undefined)
    for (const axis of sweep === true ? defaultAxes : Object.keys(sweep)) delete config[axis]
  return {
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(sweep === undefined ? {} : { sweep }),
    ...(benchmark === undefined ? {} : { benchmark }),
    include: reportSections(sweep !== undefined),
  }
}

function benchmarkOf({ benchmark }: Typed): 'cash' | 'universe' | undefined {
  if (benchmark === undefined || benchmark === 'cash' || benchmark === 'universe') return benchmark
  throw new Failure('parameter_invalid', 'The benchmark of the form is cash or universe.', {
    param: 'benchmark',
  })
}

const defaultAxes = ['quantile', 'weighting', 'holdDays']

function sweepOf({ run, quantiles, weightings, holds }: Typed): BacktestSettings['sweep'] {
  if (run === 'sweep') return true
  if (run !== 'grid') return undefined
  const grid = {
    ...(quantiles === undefined
      ? {}
      : { quantile: list(quantiles).map(text => numberOf('quantiles', text)) }),
    ...(weightings === undefined ? {} : { weighting: list(weightings) }),
    ...(holds === undefined ? {} : { holdDays: list(holds).map(text => numberOf('holds', text)) }),
  }
  if (Object.keys(grid).length > 0) return grid
  throw new Failure(
    'parameter_invalid',
    'Your own grid is empty. Write the values to try, with commas between them, or choose the default grid.',
    { param: 'quantiles' },
  )
}

const list = (text: string) =>
  text
    .split(/[\s,]+/)
    .filter(part => part !== '')
    .slice(0, 300)

function numberOf(name: FieldName, text: string): number {
  const value = Number(text)
  if (/^[-+.\d]/.test(text) && Number.isFinite(value)) return value
  throw new Failure(
    'parameter_invalid',
    `${name} is ${JSON.stringify(text.slice(0, 40))}, which is not a number.`,
    {
      param: name,
    },
  )
}

/** The rows of the archive that a form chooses. */
export function sourceOf(typed: Typed): Record<string, string | number> {
  const source: Record<string, string | number> = {}
  for (const name of ['market', 'horizon', 'from', 'to', 'score'] as const)
    if (typed[name] !== undefined) source[name] = typed[name]
  if (typed.score !== undefined && typed.maxAgeDays !== undefined)
    source.maxAgeDays = numberOf('maxAgeDays', typed.maxAgeDays)
  return source
}

/** Of a file of forecasts; undefined: its only one. */
export const fileHorizonOf = ({ fileHorizon }: Typed): Horizon | undefined =>
  horizons.find(horizon => horizon === fileHorizon)

/** A fault in the words of the page, and the field that it is of. */
export function inFormWords({ message, details }: Failure): { text: string; field: string | null } {
  const [, name] = /^(?:config|source|sweep)\.(\w+)/.exec(details.param ?? '') ?? []
  const text = message
    .replace(/(?:for example )?--horizon (?:is (\w+), but it)?/g, (_, wanted?: string) =>
      wanted === undefined
        ? 'the field Horizon of the file: '
        : `The horizon ${wanted} was chosen, but the file `,
    )
    .replace(/\b(?:config|source|sweep)\.(\w+)/g, '$1')
  return { text, field: name ?? (fieldNames.find(field => field === details.param) || null) }
}
