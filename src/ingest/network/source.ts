import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { parseJson } from '../reading/json.ts'

/** A request to a register. */
export interface RegisterRequest {
  readonly url: string
  readonly method?: 'POST'
  readonly body?: string
  /** May contain credentials, so they must never be logged or stored. */
  readonly headers?: Readonly<Record<string, string>>
  /** Credentials for the query string. They are separate from `url`, because messages show `url`. */
  readonly secretQuery?: Readonly<Record<string, string>>
  /** Identifies the requested document. The archive stores successive responses under one key. */
  readonly key: string
  /**
   * Changes when there may be a new response under the key: a response of the current revision is not
   * requested again. Null if only the register can tell.
   */
  readonly revision: string | null
  /**
   * Path in the archive below the folder of the market and the day. Null if the response is not stored (a
   * login).
   */
  readonly fileName: string | null
  /**
   * Responses on one subject only make sense together. They are imported together, including earlier ones.
   */
  readonly subject?: string
  /**
   * Whether the importer reads the response. Lists that only tell what to request next are stored and not
   * imported.
   */
  readonly imports: boolean
  /** Whether the plan reads the response, from the archive if it is cached. Without it the run ends. */
  readonly requiredByPlan?: true
  /** Whether the plan reads the response, from the archive if it is cached. Without it the plan continues. */
  readonly readByPlan?: true
  /** True if a refusal may mean that the login has expired. The plan gets `expired` and can log in again. */
  readonly mayExpire?: true
  /** True if the register sends gzip without a Content-Encoding header. */
  readonly gzipWithoutHeader?: true
  /** True for files of a hundred megabytes, which may take longer than others. */
  readonly isLarge?: true
  /**
   * Checks a complete response before it is stored. Throws a Failure if the register has changed its format.
   */
  readonly check: (bytes: Uint8Array) => ResponseCheck
}

/** What a response with status 200 means. */
export type ResponseCheck =
  | { readonly kind: 'accepted' }
  /** The register has no such document. */
  | { readonly kind: 'missing' }
  /** The response is incomplete or an error page. */
  | { readonly kind: 'retry'; readonly reason: string }
  /** The register refuses the credentials. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The daily quota of requests is used up. */
  | { readonly kind: 'exhausted'; readonly reason: string }

/** What `yield` returns to a plan. */
export type StepResult =
  | { readonly kind: 'fresh'; readonly bytes: Uint8Array }
  /** Nothing new: this revision is in the archive, or the register sent the same response again. */
  | { readonly kind: 'cached' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'expired' }
  /** The request failed, and the failure was reported. */
  | { readonly kind: 'failed' }
  /** The next companies to fetch; empty if there are no more. */
  | { readonly kind: 'companies'; readonly numbers: readonly string[] }

export type Step =
  | { readonly do: 'send'; readonly request: RegisterRequest }
  /**
   * Everything up to here is in the archive, so the next run starts at `position`. Not recorded if anything
   * failed: in the whole run (`run`) or, if the parts are independent of each other, since the previous such
   * step (`part`).
   */
  | {
      readonly do: 'advance'
      readonly name: string
      readonly position: string
      readonly unless: 'run' | 'part'
    }
  /**
   * Requests the next page of companies, of which there may be millions. Companies that are done for the day
   * (`companyDone`) are skipped.
   */
  | { readonly do: 'next companies' }
  /** Announces this many further requests, for the progress display. */
  | { readonly do: 'expect'; readonly requests: number }

/**
 * The requests to a register in order, each decided from previous results. A plan sends nothing itself: it
 * yields steps, and `yield` returns their results.
 */
export type Plan = Generator<Step, void, StepResult>

export type RegisterSettings = Readonly<Record<string, string>>

export interface SyncTask {
  /** Keyed by the names in .env.example. */
  readonly settings: RegisterSettings
  /** The first day to fetch; null to continue where the last run stopped, or from the beginning. */
  readonly since: IsoDate | null
  readonly today: IsoDate
  /**
   * The issuer numbers to fetch; empty for all. A register that is fetched company by company gets them from
   * `nextCompanies` instead.
   */
  readonly companies: readonly string[]
  /** Where the last run stopped, by the name given to `advance`. */
  readonly cursor: (name: string) => string | null
  /** A new UUID, for registers that require one with every request. */
  readonly newId: () => string
}

/** How to fetch from the register of a market. */
export interface Source {
  readonly market: string
  readonly name: string
  /** Settings without which the register cannot be reached. */
  readonly requiredSettings: readonly string[]
  /** Settings that no message may contain. */
  readonly secretSettings: readonly string[]
  /** The setting with the contact for the User-Agent, if the register requires one. */
  readonly contactSetting: string | null
  /**
   * Whether a run can be limited to some companies (`possible`) or must name them (`needed`, through
   * `nextCompanies`).
   */
  readonly companies: 'needed' | 'possible' | 'none'
  /** Describes what is fetched, for the help. */
  readonly help: string
  readonly plan: (task: SyncTask) => Plan
}

export const send = (request: RegisterRequest): Step => ({ do: 'send', request })
export const nextCompanies: Step = { do: 'next companies' }
/** Records that a company is completely fetched for the day. */
export const companyDone = (number: string, today: IsoDate): Step =>
  advance(companyCursor(number), today, 'part')
/** The name of the cursor of a company. */
export const companyCursor = (number: string): string => `company ${number}`
export const expectRequests = (requests: number): Step => ({ do: 'expect', requests })
export const advance = (name: string, position: string, unless: 'run' | 'part'): Step => ({
  do: 'advance',
  name,
  position,
  unless,
})

/** The value of a setting. Throws if it is not set. */
export function requiredSetting(settings: RegisterSettings, name: string): string {
  const value = settings[name]
  if (value === undefined || value === '') throw missingSettings([name])
  return value
}

/** Throws if a required setting is missing, so that a run fails before its first request. */
export function assertSettings(source: Source, settings: RegisterSettings): void {
  const names = source.requiredSettings.filter(name => !settings[name])
  if (names.length > 0) throw missingSettings(names)
}

const missingSettings = (names: readonly string[]) =>
  new Failure(
    'parameter_invalid',
    `Set ${names.join(' and ')} in the environment or in .env: the register requires this. See .env.example.`,
    { param: names[0] },
  )

export const accepted: ResponseCheck = { kind: 'accepted' }

/**
 * Checks JSON. A response that is not JSON is taken for an incomplete one and requested again. `checkFormat`
 * throws for JSON of an unknown format: the register has then changed and its reader must be adapted.
 */
export const checkJson =
  (checkFormat: (document: unknown) => ResponseCheck) =>
  (bytes: Uint8Array): ResponseCheck => {
    let document: unknown
    try {
      document = parseJson(bytes)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { kind: 'retry', reason: `The response is not complete JSON: ${error.message}` }
    }
    return checkFormat(document)
  }

export function throwFormatChanged(expected: string): never {
  throw new Failure(
    'body_invalid',
    `The register has changed the format of its response: expected ${expected}.`,
  )
}

const zipDirectoryEnd = Buffer.from('PK\x05\x06', 'latin1')

/**
 * Checks that a zip ends with its directory; without one it was truncated. `checkOther` checks a response
 * that does not start like a zip.
 */
export const checkZip =
  (checkOther: (bytes: Uint8Array) => ResponseCheck) =>
  (bytes: Uint8Array): ResponseCheck => {
    if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return checkOther(bytes)
    const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf(zipDirectoryEnd)
    return end < 0 ? { kind: 'retry', reason: 'The zip is truncated: its directory is missing.' } : accepted
  }

/** Checks XML: its last tag must be closed. */
export function checkXml(bytes: Uint8Array): ResponseCheck {
  const textOf = (from: number, to?: number) =>
    Buffer.from(bytes.subarray(from, to)).toString('latin1').trim()
  const start = textOf(0, 200).replace(/^\u00ef\u00bb\u00bf/, '')
  if (!start.startsWith('<')) throwFormatChanged('XML')
  // Otherwise an error page with status 200 would be stored as the document for good.
  if (/<!doctype html|<html/i.test(start))
    return { kind: 'retry', reason: 'The register sent an HTML page instead of XML.' }
  return textOf(-200).endsWith('>')
    ? accepted
    : { kind: 'retry', reason: 'The XML is truncated: its last tag is not closed.' }
}
