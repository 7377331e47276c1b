import { expect, test } from 'bun:test'
import { isFreeMail } from '../../src/access/freeMail.ts'
import { nonEmpty } from '../nonEmpty.ts'

const kinds: [string, string[]][] = [
  ['a provider', ['gmail.com', 'qq.com', 'naver.com', 'xtra.co.nz', 'seznam.cz', 'proton.me']],
  ['a provider that the lists lack', ['tutanota.com', 'posteo.de', 'hinet.net', 'goo.ne.jp', 'duck.com']],
  [
    'a provider that both lists or their country lack',
    [
      'pchome.com.tw',
      'seed.net.tw',
      'excite.co.jp',
      'ybb.ne.jp',
      'i.softbank.jp',
      'tutanota.de',
      'onmicrosoft.com',
      'vivaldi.net',
    ],
  ],
  ['a provider of addresses for a moment', ['mailinator.com', 'yopmail.com', '10minutemail.com']],
  [
    'a domain of a provider in one country',
    ['yahoo.co.uk', 'hotmail.fr', 'outlook.com.br', 'gmx.ch', 'tuta.io'],
  ],
  ['a domain below that of a provider', ['mail.proton.me', 'fund.onmicrosoft.com', 'a.b.gmail.com']],
]
for (const [kind, domains] of kinds) {
  test(`recognises ${kind}`, async () => {
    for (const domain of nonEmpty(domains)) expect([domain, await isFreeMail(domain)]).toEqual([domain, true])
  })
}

test('leaves companies alone, also where the lists name the registry suffix above them', async () => {
  const companies = [
    'acme.com.ar',
    'acme.net.ua',
    'acme.co.uk',
    'outlookfunds.com',
    'live-capital.com',
    'acme.de',
  ]
  for (const domain of companies) expect([domain, await isFreeMail(domain)]).toEqual([domain, false])
})
