import { Failure } from '../errors.ts'

/** A key reads `asf_<env>_<32 base62>_<checksum>`. The checksum tells a mistyped key from an unknown one
 * without a look into the database. */
export const keyEnvironments = ['live', 'test'] as const
export type KeyEnvironment = (typeof keyEnvironments)[number]

/** The literal key that everybody may use. */
export const demoKey = 'demo'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 32
const checksumLength = 6
/** Of the secret, in the stored prefix. The other 24 characters stay unknown: 142 bits. */
const namedLength = 8
const shape = /^(asf_(?:live|test)_[0-9A-Za-z]{32})_([0-9A-Za-z]{6})$/

export function makeKeyText(environment: KeyEnvironment): string {
  const body = `asf_${environment}_${randomSecret()}`
  return `${body}_${checksum(body)}`
}

/** Refuses a text that no key of ours can be. */
export function checkKeyText(text: string): void {
  const parts = shape.exec(text)
  if (parts !== null && checksum(parts[1]) === parts[2]) return
  throw new Failure(
    'key_malformed',
    parts === null
      ? 'The API key does not look like one: a key reads asf_live_..., or is the word demo. Copy it whole.'
      : 'The API key has a typing error: its checksum does not fit. Copy it whole.',
    { param: 'Authorization' },
  )
}

/** What may be stored, listed and logged of a key. */
export function keyPrefix(text: string): string {
  return text.slice(0, 'asf_live_'.length + namedLength)
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
  for (let place = 0; place < checksumLength; place++) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Bytes of 248 and above are thrown away: 248 is a multiple of 62, so every character is equally likely. */
function randomSecret(): string {
  let secret = ''
  while (secret.length < secretLength) {
    for (const byte of crypto.getRandomValues(new Uint8Array(secretLength))) {
      if (byte < 248 && secret.length < secretLength) secret += base62[byte % 62]
    }
  }
  return secret
}
