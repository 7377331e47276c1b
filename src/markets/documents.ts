import type { Manifest } from './manifest.ts'

/**
 * The public address of a filing at its register; null if its number does not lead to one. Outside the United
 * States an accession begins with the market and a colon.
 */
export function documentUrl(
  manifest: Pick<Manifest, 'register'> | undefined,
  issuerId: string,
  accession: string,
): string | null {
  const document = manifest?.register.document
  const number = accession.replace(/^[A-Z]{2}:/, '')
  if (document === undefined || !new RegExp(document.pattern).test(number)) return null
  return document.url
    .replace('{issuer}', issuerId.replace(/^0+/, ''))
    .replaceAll('{number}', number)
    .replace('{digits}', number.replaceAll('-', ''))
}
