export interface BannerFacts {
  address: string
  /** Shown once, at the first start. */
  ownerKey: string | null
  companies: number
  signals: number
  dataVersion: number
}

/** What a person reads when the server is up: where it is, and a line that works when pasted. */
export function banner(facts: BannerFacts): string {
  const count = (value: number) => value.toLocaleString('en-US')
  const lines = [
    '',
    `asfiled is ready at   ${facts.address}`,
    `documents             ${facts.address}/docs`,
    `data                  ${count(facts.companies)} companies, ${count(facts.signals)} resolved signals (version ${facts.dataVersion})`,
    '',
    'What was known of Apple on the last day of 2009:',
    `  curl -s -H 'Authorization: Bearer demo' '${facts.address}/api/v1/fundamentals?ticker=AAPL&metric=revenue&view=latest&as_of=2009-12-31'`,
    '',
  ]
  if (facts.ownerKey !== null) {
    lines.push(
      'Your owner key (quant plan, redistribution licence). It is shown this once, so keep it:',
      `  ${facts.ownerKey}`,
      '',
    )
  }
  return lines.join('\n')
}
