import { Type } from '@sinclair/typebox'

/** Above this many trials the caller is not counting configurations any more. */
export const maxTrialsAlreadyTried = 1_000_000

export const TrialsAlreadyTried = Type.Integer({
  minimum: 0,
  maximum: maxTrialsAlreadyTried,
  examples: [20],
  description:
    'Configurations that you tried before this request, whose results made you choose this one. They count as trials beside those of the request: the Deflated Sharpe ratio takes the Sharpe ratio that the best of all of them would show by luck, and the level of the test for superior predictive ability is divided among them.',
})
