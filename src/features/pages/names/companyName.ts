import { casedName } from './casing.ts'

const legalForm =
  /[\s,]+(co(mpany)?[.,\s]*(ltd|limited|inc)|inc(orporated)?|corp(oration)?|ltd|limited|company|plc|k\.?k)\.?$/i
const localForm =
  /^(株式会社|주식회사|\(주\)|㈜|\(株\))\s*|\s*(株式会社|股份有限公司|주식회사|\(주\)|㈜|\(株\))$/gu
const otherScript = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u

export interface NamesOnRecord {
  /** As the register has it. */
  readonly registered: string | null
  /** In other languages and scripts. */
  readonly others?: readonly string[]
  readonly ids: readonly string[]
}

/**
 * The name under which people know a company. If the register has it in Latin letters and in another script, both are shown
 * without the legal form: "Nintendo (任天堂)". The exact name is in the list of the company's identity.
 */
export function shownName({ registered, others = [], ids }: NamesOnRecord): string | null {
  if (registered === null) return null
  if (!otherScript.test(registered) || /\p{Script=Latin}/u.test(registered)) return casedName(registered, ids)
  const latin = others.find(other => /\p{Script=Latin}{2}/u.test(other) && !otherScript.test(other))
  if (latin === undefined) return registered
  const short = (name: string, form: RegExp) => name.replace(form, '').trim() || name
  return `${short(casedName(latin, ids), legalForm)} (${short(registered, localForm)})`
}
