import { Cron } from 'croner'

const fields = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of the week', min: 0, max: 7 },
]

/** Reads `minute hour day month weekday`. Each field is `*`, a number, a range `a-b`, one of these with a
 * step `/n`, or several separated by commas. Returns the faults as sentences that name the field. */
export function readCron(text: string): Cron | readonly string[] {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== fields.length)
    return [
      `it has ${parts[0] === '' ? 'no fields' : parts.length === 1 ? 'one field' : `${parts.length} fields`}. Write five: minute, hour, day of the month, month, day of the week (15 6 * * *)`,
    ]
  const faults = fields.flatMap(({ name, min, max }, index) =>
    isField(parts[index], index)
      ? []
      : [
          `its ${name} is ${parts[index].slice(0, 40)}. Write *, a number from ${min} to ${max}, a range like 1-5, a step like */15, or several with commas`,
        ],
  )
  if (faults.length > 0) return faults
  // Croner treats "*/1" and "*,5" as restrictions, which changes how days of the month and of the week
  // combine.
  const cron = parse(parts.map(part => (/(?:^|,)\*(?:\/1)?(?:,|$)/.test(part) ? '*' : part)))
  return cron.nextRun(new Date(0)) === null ? [`no month of it has a day ${parts[2]}`] : cron
}

// Croner names only the first invalid field, and accepts a range with a step that ends beyond the field's
// limits.
function isField(text: string, index: number): boolean {
  const { min, max } = fields[index]
  const isPlain = text.split(',').every(item => {
    const [plain, first = min, last = max] =
      /^(?:\*|(\d{1,3})(?:-(\d{1,3}))?)(?:\/\d{1,3})?$/.exec(item) ?? []
    return plain !== undefined && Number(first) >= min && Number(last) <= max
  })
  if (!isPlain) return false
  try {
    parse(fields.map((_, other) => (other === index ? text : '*')))
    return true
  } catch {
    return false
  }
}

/** A step after a single number runs to the field's last value. For days of the week, Croner would end it at
 * 6 (Saturday) and omit 7 (Sunday). */
const parse = (parts: readonly string[]) =>
  new Cron(
    parts.map((part, index) => part.replaceAll(/(^|,)(\d+)\//g, `$1$2-${fields[index].max}/`)).join(' '),
    { mode: '5-part', utcOffset: 0 },
  )

/** The parts of an instant in UTC, as graphile-worker passes them to a schedule. */
interface Instant {
  readonly min: number
  readonly hour: number
  readonly date: number
  readonly month: number
  readonly dow: number
}

/** Whether a minute is one of the schedule. The queue does not pass the year, so all years are possible:
 * within 28 years, each day of the calendar falls on each day of the week. */
export function matchesCron(cron: Cron, { min, hour, date, month, dow }: Instant): boolean {
  for (let year = 2000; year < 2028; year++) {
    const at = new Date(Date.UTC(year, month - 1, date, hour, min))
    if (at.getUTCDate() === date && at.getUTCDay() === dow) return cron.match(at)
  }
  return false
}

/** The first scheduled time after an instant, in milliseconds since 1970. */
export function nextTime(cron: Cron, afterMs: number): number {
  const next = cron.nextRun(new Date(afterMs))
  if (next === null) throw new Error(`The schedule ${cron.getPattern()} has no time.`)
  return next.getTime()
}

/** A register that the server fetches from by itself. */
export interface ScheduledSync {
  /** The code of the market, in upper case. */
  readonly market: string
  readonly cron: Cron
}

const scheduleForm = 'us=15 6 * * *; jp=30 9 * * 1-5'

/** Reads a schedule such as `us=15 6 * * *; jp=30 9 * * 1-5`. Returns all of its faults. */
export function readSchedule(text: string): {
  schedule: readonly ScheduledSync[]
  faults: readonly string[]
} {
  const schedule: ScheduledSync[] = []
  const faults: string[] = []
  for (const entry of text.split(';').filter(part => part.trim() !== '')) {
    const [, code = '', times = ''] = /^\s*([a-z]{2})\s*=(.*)$/is.exec(entry) ?? []
    const market = code.toUpperCase()
    if (market === '') {
      faults.push(
        `has "${entry.trim().slice(0, 40)}", which is not a market with its times. Write ${scheduleForm}`,
      )
      continue
    }
    const cron = readCron(times)
    if (!(cron instanceof Cron)) faults.push(...cron.map(fault => `for ${code}: ${fault}`))
    else if (schedule.some(other => other.market === market)) faults.push(`has ${code} twice. Write it once`)
    else schedule.push({ market, cron })
  }
  return { schedule, faults }
}
