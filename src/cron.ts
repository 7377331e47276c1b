/** The times of a schedule by the five fields of cron, in UTC. */
export interface Cron {
  readonly text: string
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>
}

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
}

const fields: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of the week', min: 0, max: 7 },
]
const daysOfMonth = 31
const daysOfWeek = 7
/** The last day that a month has, in a leap year. */
const lastDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Reads `minute hour day month weekday`: each `*`, a number, a range `a-b`, either of them with a step `/n`, or several with commas
 * between them. The faults are in words, each with the field. */
export function readCron(text: string): Cron | readonly string[] {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== fields.length)
    return [
      `it has ${parts[0] === '' ? 'no fields' : parts.length === 1 ? 'one field' : `${parts.length} fields`}. Write five: minute, hour, day of the month, month, day of the week (15 6 * * *)`,
    ]
  const faults: string[] = []
  const [minutes, hours, days, months, weekdays] = fields.map((field, place) => {
    const values = readField(parts[place], field)
    if (typeof values === 'string') faults.push(values)
    return new Set(typeof values === 'string' ? [] : values)
  })
  if (faults.length > 0) return faults
  const cron = { text: parts.join(' '), minutes, hours, days, months, weekdays: wrapped(weekdays) }
  const isPossible =
    cron.weekdays.size < daysOfWeek || [...months].some(month => Math.min(...days) <= lastDays[month - 1])
  return isPossible ? cron : [`no month of it has a day ${Math.min(...days)}`]
}

/** Sunday may be 7. */
const wrapped = (weekdays: ReadonlySet<number>) => new Set([...weekdays].map(day => day % daysOfWeek))

function readField(text: string, { name, min, max }: Field): readonly number[] | string {
  const values: number[] = []
  for (const item of text.split(',')) {
    const [, first, last, step] = /^(?:\*|(\d{1,3})(?:-(\d{1,3}))?)(?:\/(\d{1,3}))?$/.exec(item) ?? []
    const isAll = item.startsWith('*')
    if (first === undefined && !isAll)
      return `its ${name} is ${item === '' ? 'empty' : item.slice(0, 40)}. Write *, a number, a range like 1-5, a step like */15, or several with commas`
    const from = isAll ? min : Number(first)
    const to = isAll ? max : Number(last ?? (step === undefined ? first : max))
    const by = Number(step ?? 1)
    if (from < min || to > max || from > to || by < 1)
      return `its ${name} is ${item.slice(0, 40)}. It goes from ${min} to ${max}, in that order, by steps of 1 or more`
    for (let value = from; value <= to; value += by) values.push(value)
  }
  return values
}

/** The parts of an instant in UTC, as graphile-worker hands them to a schedule. */
interface Instant {
  readonly min: number
  readonly hour: number
  readonly date: number
  readonly month: number
  readonly dow: number
}

/** Whether a minute is one of the schedule. */
export function matchesCron(cron: Cron, instant: Instant): boolean {
  return cron.minutes.has(instant.min) && cron.hours.has(instant.hour) && matchesDay(cron, instant)
}

/** Of a day of the month and a day of the week that are both restricted either is enough, as in every cron. */
function matchesDay({ days, months, weekdays }: Cron, { date, month, dow }: Omit<Instant, 'min' | 'hour'>) {
  if (!months.has(month)) return false
  if (days.size === daysOfMonth) return weekdays.has(dow)
  if (weekdays.size === daysOfWeek) return days.has(date)
  return days.has(date) || weekdays.has(dow)
}

const minuteMs = 60_000
const dayMs = 1_440 * minuteMs
/** Within eight years every leap day and weekday comes, whatever the century does. */
const maxDays = 8 * 366

/** The first time of the schedule after an instant, in milliseconds since 1970. */
export function nextTime(cron: Cron, afterMs: number): number {
  const inDay = [...cron.hours].flatMap(hour => [...cron.minutes].map(minute => hour * 60 + minute))
  inDay.sort((a, b) => a - b)
  const today = Math.floor(afterMs / dayMs) * dayMs
  for (let midnight = today; midnight < today + maxDays * dayMs; midnight += dayMs) {
    const day = new Date(midnight)
    const parts = { date: day.getUTCDate(), month: day.getUTCMonth() + 1, dow: day.getUTCDay() }
    if (!matchesDay(cron, parts)) continue
    const found = inDay.find(minute => midnight + minute * minuteMs > afterMs)
    if (found !== undefined) return midnight + found * minuteMs
  }
  throw new Error(`The schedule ${cron.text} has no time.`)
}

/** A register that the server fetches from by itself. */
export interface ScheduledSync {
  /** The code of the market, in upper case. */
  readonly market: string
  readonly cron: Cron
}

const scheduleForm = 'us=15 6 * * *; jp=30 9 * * 1-5'

/** Reads a schedule like `us=15 6 * * *; jp=30 9 * * 1-5`. All its faults are returned. */
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
        `has "${entry.trim().slice(0, 40)}", which is no market with its times. Write ${scheduleForm}`,
      )
      continue
    }
    const cron = readCron(times)
    if (!('text' in cron)) faults.push(...cron.map(fault => `for ${code}: ${fault}`))
    else if (schedule.some(other => other.market === market)) faults.push(`has ${code} twice. Write it once`)
    else schedule.push({ market, cron })
  }
  return { schedule, faults }
}
