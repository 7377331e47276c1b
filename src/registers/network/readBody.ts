import { Failure } from '../../errors.ts'

/** The whole body; null where it is shorter than was announced. A body that has no end is not read to it. */
export async function readBody(response: Response, mostBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  if (response.body !== null) {
    for await (const chunk of response.body) {
      length += chunk.length
      if (length > mostBytes) {
        throw new Failure('body_too_large', `The answer has more than ${Math.floor(mostBytes / 1e6)} MB.`)
      }
      chunks.push(chunk)
    }
  }
  const announced = response.headers.get('Content-Length')
  // The length of a packed body is that of its packing.
  const isPlain = response.headers.get('Content-Encoding') === null
  if (isPlain && announced !== null && Number(announced) !== length) return null
  return Buffer.concat(chunks)
}
