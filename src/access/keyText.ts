import { Failure } from '../errors.ts'

/** A key is `asf_<environment>_<32 base62>_<checksum>`. The checksum reveals a mistyped key without a
 * database query. */
export const keyEnvironments = ['live', 'test'] as const
export type KeyEnvironment = (typeof keyEnvironments)[number]

/** The public key, which is just this word. */
export const demoKey = 'demo'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 32
const checksumLength = 6
/** Characters of the secret that are part of the stored prefix. The other 24 remain secret: 142 bits. */
const shownLength = 8
const shape = /^(asf_(?:live|test)_[0-9A-Za-z]{32})_([0-9A-Za-z]{6})$/

/** @param prefix the prefix that a key without a text was granted under, with which the text begins. Empty: a
 *   new one */
export function makeKeyText(environment: KeyEnvironment, prefix = ''): string {
  const random = `asf_${environment}_${randomSecret()}`
  const body = prefix + random.slice(prefix.length)
  return `${body}_${checksum(body)}`
}

/** Throws if `text` cannot be a key of this service. */
export function checkKeyText(text: string): void {
  const parts = shape.exec(text)
  if (parts !== null && checksum(parts[1]) === parts[2]) return
  throw new Failure(
    'key_malformed',
    parts === null
      ? 'This is not an API key: a key starts with asf_live_ or asf_test_, or is the word demo. Copy the whole key.'
      : 'The API key has a typo: its checksum does not match. Copy the whole key.',
    { param: 'Authorization' },
  )
}

/** The part of a key that may be stored, listed and logged. */
export function keyPrefix(text: string): string {
  return text.slice(0, 'asf_live_'.length + shownLength)
}

/** The SHA-256 of a key, in base64. */
export function keyDigest(text: string): string {
  return Bun.SHA256.hash(text, 'base64')
}

export function digestBytes(digest: string): Uint8Array {
  return Buffer.from(digest, 'base64')
}

/** CRC-32 in base62, padded. */
function checksum(body: string): string {
  let rest = Bun.hash.crc32(body)
  let digits = ''
  for (let index = 0; index < checksumLength; index++) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Discards bytes of 248 and above: 248 is a multiple of 62, so all characters are equally likely. */
function randomSecret(): string {
  let secret = ''
  while (secret.length < secretLength) {
    for (const byte of crypto.getRandomValues(new Uint8Array(secretLength))) {
      if (byte < 248 && secret.length < secretLength) secret += base62[byte % 62]
    }
  }
  return secret
}
