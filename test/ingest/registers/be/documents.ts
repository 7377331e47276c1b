export const xerius = '0410682657'
export const micro = '0925590628'

interface ReferenceFields {
  ReferenceNumber: string
  DepositDate: string
  ExerciseDates: { startDate: string; endDate: string }
  ModelType: string
  EnterpriseNumber?: string
  [field: string]: unknown
}

/** A reference in the layout of the register's answer. */
export const reference = (change: Partial<ReferenceFields> = {}) => ({
  ReferenceNumber: '2017-00000001',
  DepositDate: '2017-06-28',
  ExerciseDates: { startDate: '2016-01-01', endDate: '2016-12-31' },
  ModelType: 'm05-f',
  DepositType: 'Initial',
  Language: 'NL',
  Currency: 'EUR',
  EnterpriseNumber: xerius,
  ...change,
})

export const microReference = reference({
  ReferenceNumber: '2023-00000002',
  DepositDate: '2023-06-20',
  ExerciseDates: { startDate: '2022-01-01', endDate: '2022-12-31' },
  ModelType: 'm87-f',
  EnterpriseNumber: micro,
})

/** Accounts in the layout of `application/x.jsonxbrl`. */
export const accounts = (rubrics: readonly [string, 'N' | 'NM1', unknown][], number = '2017-00000001') => ({
  ReferenceNumber: number,
  EnterpriseName: 'MADE UP',
  Rubrics: rubrics.map(([Code, Period, Value]) => ({ Code, Value, Period })),
})

export const json = (name: string, document: unknown) => ({
  name,
  bytes: Buffer.from(JSON.stringify(document)),
})

/** An instance under the reference number that the register gives its file. */
export const instance = async (fixture: string, number: string) => ({
  name: `${number}.xbrl`,
  bytes: await Bun.file(new URL(`fixtures/${fixture}`, import.meta.url)).bytes(),
})
