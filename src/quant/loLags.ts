/** Autocorrelation lags that `loSharpe` uses: L = max(h, floor(4 (T/100)^(2/9))), at most T / 10 and P - 1. The
 * second term is Newey and West's (1994) rule of thumb; h because a book of h tranches is correlated that far. */
export function loLags(periods: number, tranches: number, periodsPerYear: number): number {
  const wanted = Math.max(tranches, Math.floor(4 * (periods / 100) ** (2 / 9)))
  return Math.max(0, Math.floor(Math.min(wanted, periods / 10, periodsPerYear - 1)))
}
