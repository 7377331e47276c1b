/** Providers missing from both packages. */
const providers = [
  'fastmail.com',
  'zohomail.com',
  'mailfence.com',
  'duck.com',
  'posteo.de',
  'onmicrosoft.com',
  'tutamail.com',
  'keemail.me',
  'simplelogin.com',
  'passmail.net',
  'anonaddy.com',
  'vivaldi.net',
  'disroot.org',
  'riseup.net',
  'mozmail.com',
  // France, Belgium, Denmark and its neighbours.
  'bbox.fr',
  'numericable.fr',
  'proximus.be',
  'scarlet.be',
  'belgacom.net',
  'pandora.be',
  'mail.dk',
  'jubii.dk',
  'stofanet.dk',
  'telia.com',
  'online.no',
  // China, Korea, Taiwan, Japan and New Zealand.
  'sohu.com',
  '139.com',
  'kakao.com',
  'dreamwiz.com',
  'empal.com',
  'hinet.net',
  'pchome.com.tw',
  'seed.net.tw',
  'so-net.net.tw',
  'nifty.com',
  'goo.ne.jp',
  'ocn.ne.jp',
  'so-net.ne.jp',
  'biglobe.ne.jp',
  'plala.or.jp',
  'orcon.net.nz',
  'slingshot.co.nz',
  'vodafone.co.nz',
  'paradise.net.nz',
  'clear.net.nz',
]

/** Providers with domains in many countries: yahoo.co.uk, hotmail.fr. */
const families = new Set(['yahoo', 'hotmail', 'outlook', 'live', 'gmx', 'tuta', 'tutanota'])

/** The packages list some of these as providers. All companies of a country have their domains below them,
 * for example below com.ar. */
const registrySuffix = /^(?:com|net|org|gob|gov|edu|co|ac)\.[a-z]{2}$/

/** True for the domains of providers that give anyone an address, and for their subdomains. Such a domain
 * does not identify a company, so it gets no evaluation. */
export async function isFreeMail(domain: string): Promise<boolean> {
  lists ??= readLists()
  const listed = await lists
  const labels = domain.split('.')
  // Stops before the last label, which is only a top-level domain.
  for (let from = 0; from < labels.length - 1; from++) {
    const [family, ...rest] = labels.slice(from)
    const isCountryVariant = families.has(family) && rest.every(label => label.length <= 3)
    if (isCountryVariant || listed.has(labels.slice(from).join('.'))) return true
  }
  return false
}

let lists: Promise<ReadonlySet<string>> | undefined

/** Combines 14,800 domains once. They are loaded on first use: loading takes 40 ms and 20 MB, which every
 * start would pay otherwise. */
async function readLists(): Promise<ReadonlySet<string>> {
  const { default: common } = await import('email-providers/all.json', { with: { type: 'json' } })
  const { disposableEmailBlocklist } = await import('disposable-email-domains-js')
  const all = [...common, ...disposableEmailBlocklist(), ...providers]
  return new Set(all.filter(domain => !registrySuffix.test(domain)))
}
