/** What a cookie of ours is for. */
export type CookieName = 'session' | 'signin' | 'known'

/** Reads and writes our cookies. They are HttpOnly, so no script can read them, and SameSite=Lax, so no form of another site
 * carries them. Over https they have the prefix `__Host-`: no subdomain and no http page can set them. */
export class Cookies {
  readonly #isSecure: () => boolean

  /** @param isSecure whether people reach the service by https. Plain http cannot have secure cookies, except on loopback in some
   * browsers */
  constructor(isSecure: () => boolean) {
    this.#isSecure = isSecure
  }

  /** The token in a cookie; null: none, or one that cannot be ours. */
  read(headers: Headers, name: CookieName): string | null {
    const full = this.#fullName(name)
    for (const pair of (headers.get('cookie') ?? '').split(';')) {
      const equals = pair.indexOf('=')
      if (equals < 0 || pair.slice(0, equals).trim() !== full) continue
      const value = pair.slice(equals + 1).trim()
      if (tokenShape.test(value)) return value
    }
    return null
  }

  /** The digest of the token in a cookie; null as for `read`. */
  readDigest(headers: Headers, name: CookieName): Uint8Array | null {
    const token = this.read(headers, name)
    return token === null ? null : tokenDigest(token)
  }

  /** The value of Set-Cookie. */
  write(name: CookieName, token: string, maxAgeSeconds: number): string {
    const secure = this.#isSecure() ? '; Secure' : ''
    return `${this.#fullName(name)}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`
  }

  /** The value of Set-Cookie that deletes one. */
  clear(name: CookieName): string {
    return this.write(name, '', 0)
  }

  #fullName(name: CookieName): string {
    return `${this.#isSecure() ? '__Host-' : ''}asfiled_${name}`
  }
}

const tokenShape = /^[A-Za-z0-9_-]{43}$/

/** 256 random bits. */
export function makeToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
}

/** What is stored of a token. */
export function tokenDigest(token: string): Uint8Array {
  return new Uint8Array(new Bun.CryptoHasher('sha256').update(token).digest())
}
