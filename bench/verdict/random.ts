/** Standard normals from a seed: xoshiro128** generates uniforms, which the Box-Muller transform turns into normals. The
 * streams of neighbouring seeds are unrelated, because splitmix32 spreads the seed over the state.
 *
 * @see Blackman, D. and Vigna, S. (2021), Scrambled Linear Pseudorandom Number Generators, ACM TOMS 47(4) */
export class Normals {
  readonly #state: Uint32Array
  #spare = Number.NaN

  constructor(seed: number) {
    let x = Math.imul(seed, 0x9e37_79b9)
    this.#state = Uint32Array.from({ length: 4 }, () => {
      x = (x + 0x9e37_79b9) | 0
      let z = Math.imul(x ^ (x >>> 16), 0x21f0_aaad)
      z = Math.imul(z ^ (z >>> 15), 0x735a_2d97)
      return z ^ (z >>> 15)
    })
  }

  /** Between 0 and 1, neither included. */
  uniform(): number {
    const state = this.#state
    const scaled = Math.imul(state[1], 5)
    const word = Math.imul((scaled << 7) | (scaled >>> 25), 9) >>> 0
    const shifted = state[1] << 9
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << 11) | (state[3] >>> 21)
    return (word + 0.5) / 4_294_967_296
  }

  next(): number {
    if (!Number.isNaN(this.#spare)) {
      const spare = this.#spare
      this.#spare = Number.NaN
      return spare
    }
    const radius = Math.sqrt(-2 * Math.log(this.uniform()))
    const angle = 2 * Math.PI * this.uniform()
    this.#spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
}
