import type { OwnerKey } from './firstStart.ts'

export interface BannerFacts {
  readonly address: string
  readonly dataVersion: number
  /** Present at the first start, the only time that the key itself is shown. */
  readonly ownerKey: OwnerKey | null
}

/** The terminal text shown when the server is up: its address, and a command to paste. */
export function banner({ address, dataVersion, ownerKey }: BannerFacts): string {
  const lines = [
    '',
    `asfiled is ready at  ${address}  (data version ${dataVersion})`,
    `documents            ${address}/docs`,
    '',
    ...(dataVersion === 0 ? emptyDatabase : example(address)),
    '',
  ]
  if (ownerKey !== null) lines.push(...aboutOwnerKey(ownerKey), '')
  return lines.join('\n')
}

function aboutOwnerKey(ownerKey: OwnerKey): readonly string[] {
  switch (ownerKey.to) {
    case 'terminal':
      return [
        'Your owner key (quant plan, redistribution licence). It is shown only once, so save it:',
        `  ${ownerKey.key}`,
      ]
    case 'file':
      return [
        `Your owner key (quant plan, redistribution licence) is in ${ownerKey.path}, readable for this account only.`,
      ]
    case 'elsewhere':
      return [
        'The owner key was created and shown by another server that started at the same time on this database.',
        'If it was not saved, create another: ./asfiled keys create ... (see --help)',
      ]
  }
}

const example = (address: string) => [
  "Apple's revenue as known on the last day of 2009:",
  `  curl -s -H 'Authorization: Bearer demo' '${address}/api/v1/fundamentals?ticker=AAPL&metric=revenue&view=latest&as_of=2009-12-31'`,
]

const emptyDatabase = [
  'The database is empty. Import data and create a key (each has --help):',
  '  ./asfiled import us ...',
  '  ./asfiled keys create ...',
]
