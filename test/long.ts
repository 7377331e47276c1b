const isLong = process.env.LONG !== undefined

/** How many random cases a property gets: fewer in CI than in .ci/long, which sets LONG=1 for every file that imports this. */
export const cases = (inCi: number, long: number): number => (isLong ? long : inCi)
