import { expect, test } from 'bun:test'
import answers from '../../../src/http/docs/examples/answers.json' with { type: 'json' }
import errors from '../../../src/http/docs/examples/errors.json' with { type: 'json' }
import { captureExamples } from './captureExamples.ts'

test('what the documentation shows is what the service answers (else: bun test/http/docs/captureExamples.ts)', async () => {
  const captured = await captureExamples()
  expect(captured.answers).toEqual(answers)
  expect(captured.errors).toEqual(errors)
}, 180_000)
