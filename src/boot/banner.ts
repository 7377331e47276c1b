export interface BannerFacts {
  readonly address: string
  readonly dataVersion: number
  /** Shown once, at the first start. */
  readonly ownerKey: string | null
}

/** The text in the terminal when the server is up: its address, and a command to paste. */
export function banner({ address, dataVersion, ownerKey }: BannerFacts): string {
  const lines = [
    '',
    `asfiled is ready at  ${address}  (data version ${dataVersion})`,
    `documents            ${address}/docs`,
    '',
    ...(dataVersion === 0 ? emptyDatabase : example(address)),
    '',
  ]
  if (ownerKey !== null) {
    lines.push(
      'Your owner key (quant plan, redistribution licence). It is shown only once, so save it:',
      `  ${ownerKey}`,
      '',
    )
  }
  return lines.join('\n')
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
