import { expect, test } from 'bun:test'
import { Cookies, makeToken } from '../../src/access/cookies.ts'

const cookies = new Cookies(() => false)
const read = (cookie: string) => cookies.read(new Headers({ Cookie: cookie }), 'session')

test('a cookie of our name that cannot be a token of ours is passed over', () => {
  const token = makeToken()
  for (const other of ['', 'x', token.slice(1), `${token}A`, token.replace(/.$/, '!'), `"${token}"`]) {
    expect([other, read(`asfiled_session=${other}`)]).toEqual([other, null])
    expect(read(`asfiled_session=${other}; asfiled_session=${token}`)).toBe(token)
  }
  expect(read(`asfiled_signin=${token}; session=${token}; __Host-asfiled_session=${token}`)).toBeNull()
})
