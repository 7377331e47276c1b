import type { Manifest } from '../../model/market.ts'
import type { RegisterNumber } from '../../store/coverage/findEntities.ts'

export interface Candidates {
  /** IDs to look up, the one that was sent first. */
  readonly ids: string[]
  readonly numbers: RegisterNumber[]
}

const printable = /^[\x20-\x7e]+$/

/** Every ID and register number that `sent` can stand for: with and without the market's suffix, with and
 * without leading zeros, blanks and dots between digits left out. The forms come from the manifests. */
export function candidateIds(manifests: readonly Manifest[], sent: string): Candidates {
  const id = sent.trim().toUpperCase()
  if (!printable.test(id)) return { ids: [], numbers: [] }
  const ids = new Set([id])
  const numbers: RegisterNumber[] = []
  for (const manifest of manifests) {
    const suffix = manifest.id.suffixes.find(ending => id.endsWith(ending))
    const number = registerNumber(manifest, suffix === undefined ? id : id.slice(0, -suffix.length))
    if (number === null) continue
    const spellings = new Set([number, number.padStart(manifest.issuer.digits ?? 0, '0')])
    for (const spelling of spellings) {
      numbers.push({ market: manifest.code, issuerId: spelling })
      for (const ending of manifest.id.suffixes) ids.add(`${spelling}${ending}`)
    }
  }
  for (const manifest of manifests) {
    for (const ending of manifest.id.suffixes) {
      const whole = `${id}${ending}`
      if (new RegExp(manifest.id.pattern).test(whole)) ids.add(whole)
    }
  }
  return { ids: [...ids], numbers }
}

function registerNumber(manifest: Manifest, text: string): string | null {
  const pattern = new RegExp(manifest.issuer.pattern)
  const compact = text.replaceAll(/[\s./-]/g, '')
  return pattern.exec(compact)?.[1] ?? null
}
