import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { parseJson } from '../reading/json.ts'

/** What a register is asked. */
export interface RegisterRequest {
  readonly url: string
  readonly method?: 'POST'
  readonly body?: string
  /** They may hold credentials: nobody writes them anywhere. */
  readonly headers?: Readonly<Record<string, string>>
  /** Credentials of registers that take them in the address. They are no part of `url`, which is named in messages. */
  readonly secretQuery?: Readonly<Record<string, string>>
  /** Identity of what is asked for, of which one answer after another may come. */
  readonly key: string
  /** Another text when there may be something new under the key; what is had in this revision is not asked for again.
   * null: nobody but the register knows. */
  readonly revision: string | null
  /** Where the answer lies below the folder of the market and the day. null: it is not kept (a login). */
  readonly fileName: string | null
  /** Answers of one subject make sense together only: they are imported together, also where some came earlier. */
  readonly subject?: string
  /** The importer reads it, too. Lists that only say what to ask for next are kept and not imported. */
  readonly imports: boolean
  /** The plan needs what it says, from the archive where it is had, and without it the run ends. */
  readonly needed?: true
  /** The plan reads on from what it says, from the archive where it is had, and goes on without it. */
  readonly reads?: true
  /** An expired login is told to the plan, which can mend it, and ends nothing. */
  readonly mayExpire?: true
  /** The register packs its answers without saying so. */
  readonly packed?: true
  /** Looks at a whole answer before it is kept. Throws a Failure where the register has changed its form. */
  readonly judge: (bytes: Uint8Array) => Verdict
}

/** What an answer of status 200 says. */
export type Verdict =
  | { readonly kind: 'good' }
  /** There is no such thing, and that is an answer. */
  | { readonly kind: 'missing' }
  /** Half of it, or an apology: to be asked again. */
  | { readonly kind: 'again'; readonly reason: string }
  /** The register does not know us. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The register has had enough of us for today. */
  | { readonly kind: 'exhausted'; readonly reason: string }

/** What a plan is told about its request. */
export type Answer =
  | { readonly kind: 'fresh'; readonly bytes: Uint8Array }
  /** Nothing new: it is had in this revision, or the register said the same again. */
  | { readonly kind: 'had' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'expired' }
  /** It did not come, and was reported. */
  | { readonly kind: 'failed' }
  /** The companies that are to be asked for next; none: all were. */
  | { readonly kind: 'companies'; readonly numbers: readonly string[] }

export type Step =
  | { readonly do: 'ask'; readonly request: RegisterRequest }
  /** All up to here is had: the next run begins at `position`. It is not recorded where something failed: in the whole
   * run (`run`), or since the step before (`part`), where the parts are independent of one another. */
  | {
      readonly do: 'advance'
      readonly name: string
      readonly position: string
      readonly unless: 'run' | 'part'
    }
  /** The next companies of a register that is asked company by company, some at a time: there may be millions. Those
   * that are done (`companyDone`) for the day are left out. */
  | { readonly do: 'next companies' }
  /** So many requests are still to come, as far as is known. */
  | { readonly do: 'expect'; readonly requests: number }

/** What a register is asked, one request after the other, each decided on what came before. It asks nothing itself: the
 * answer to a request is what `yield` returns. */
export type Plan = Generator<Step, void, Answer>

export type RegisterSettings = Readonly<Record<string, string>>

export interface SyncTask {
  /** By the names of .env.example. */
  readonly settings: RegisterSettings
  /** From when on; null: from where the last run stopped, else from the beginning. */
  readonly since: IsoDate | null
  readonly today: IsoDate
  /** The issuer numbers to ask for; empty: whatever the register has. A register that is asked company by company is told
   * them by `nextCompanies`. */
  readonly companies: readonly string[]
  /** Where the last run stopped, by the name that it was recorded under. */
  readonly cursor: (name: string) => string | null
  /** A UUID that was not there before, for registers that want one with every request. */
  readonly newId: () => string
}

/** The network of a register, described. */
export interface Source {
  readonly market: string
  readonly name: string
  /** Settings that it cannot do without. */
  readonly required: readonly string[]
  /** Those of its settings that no message may hold. */
  readonly secret: readonly string[]
  /** The setting that says who asks, where the register wants to know. */
  readonly contact: string | null
  /** Whether it can be asked about some companies alone, or only so (`nextCompanies`). */
  readonly companies: 'needed' | 'possible' | 'none'
  /** What is fetched, for the help. */
  readonly help: string
  readonly plan: (task: SyncTask) => Plan
}

export const ask = (request: RegisterRequest): Step => ({ do: 'ask', request })
export const nextCompanies: Step = { do: 'next companies' }
/** All of one company is had for the day. */
export const companyDone = (number: string, today: IsoDate): Step =>
  advance(companyCursor(number), today, 'part')
/** Under which name it is recorded that a company is done. */
export const companyCursor = (number: string): string => `company ${number}`
export const expectRequests = (requests: number): Step => ({ do: 'expect', requests })
export const advance = (name: string, position: string, unless: 'run' | 'part'): Step => ({
  ...{ do: 'advance', name, position, unless },
})

/** A setting that there is. */
export function settingOf(settings: RegisterSettings, name: string): string {
  const value = settings[name]
  if (value === undefined || value === '') throw missing([name])
  return value
}

/** Says which settings a source lacks, before anything is asked. */
export function requireSettings(source: Source, settings: RegisterSettings): void {
  const names = source.required.filter(name => !settings[name])
  if (names.length > 0) throw missing(names)
}

const missing = (names: readonly string[]) =>
  new Failure(
    'parameter_invalid',
    `Set ${names.join(' and ')} in the environment or in .env: the register asks for it. .env.example says what it is.`,
    { param: names[0] },
  )

export const good: Verdict = { kind: 'good' }

/** Judges JSON. What is no JSON is taken for half of it and asked for again; what is, and has another form than
 * `judgeForm` knows, is a change of the register's that somebody has to look at. */
export const judgeJson =
  (judgeForm: (document: unknown) => Verdict) =>
  (bytes: Uint8Array): Verdict => {
    let document: unknown
    try {
      document = parseJson(bytes)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { kind: 'again', reason: `The answer is no whole JSON: ${error.message}` }
    }
    return judgeForm(document)
  }

/** Throws what a changed form is told with. */
export function formChanged(expected: string): never {
  throw new Failure(
    'body_invalid',
    `The register has changed the form of its answer: ${expected} was expected.`,
  )
}

const zipEnd = Buffer.from('PK\x05\x06', 'latin1')

/** A zip ends with its directory; one that does not was cut. `judgeOther` looks at what begins otherwise. */
export const judgeZip =
  (judgeOther: (bytes: Uint8Array) => Verdict) =>
  (bytes: Uint8Array): Verdict => {
    if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return judgeOther(bytes)
    const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf(zipEnd)
    return end < 0 ? { kind: 'again', reason: 'The zip is cut: it has no directory.' } : good
  }

/** XML whose root is closed. */
export function judgeXml(bytes: Uint8Array): Verdict {
  const ends = (from: number, to?: number) => Buffer.from(bytes.subarray(from, to)).toString('latin1').trim()
  const head = ends(0, 200).replace(/^\u00ef\u00bb\u00bf/, '')
  if (!head.startsWith('<')) formChanged('XML')
  // A page for people under status 200 is an apology, and would stand in the document's place for good.
  if (/<!doctype html|<html/i.test(head))
    return { kind: 'again', reason: 'A page for people came instead of XML.' }
  return ends(-200).endsWith('>') ? good : { kind: 'again', reason: 'The XML is cut: its last tag is open.' }
}
