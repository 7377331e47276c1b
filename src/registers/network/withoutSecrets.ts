import type { RegisterSettings, Source } from './source.ts'

/** A fence behind the fence: messages are made without credentials, and this takes out what slipped through. */
export function withoutSecrets(source: Source, settings: RegisterSettings): (text: string) => string {
  const secrets = source.secret
    .map(name => settings[name] ?? '')
    .filter(value => value.length >= 4)
    .flatMap(value => [value, encodeURIComponent(value)])
  return text => secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text)
}
