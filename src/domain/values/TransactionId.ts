/**
 * OCPP 1.6 transaction ids: positive, 31 bits, unique over the whole service. They cannot be guessed from one another: a charger that guessed its
 * neighbour's id could stop that transaction (CVE-2026-28230). They are a keyed permutation of a database sequence, so that they are unique without
 * retries.
 */

const rounds = 4
const half = 0xffff

/** Mixes one 16-bit half with a round key: a multiply-xorshift, which is all a Feistel round needs. */
const mix = (value: number, key: number): number => {
  let x = (value ^ key) >>> 0
  x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d)
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39)
  return ((x ^ (x >>> 15)) >>> 0) & half
}

const permute32 = (n: number, keys: ReadonlyArray<number>): number => {
  let left = (n >>> 16) & half
  let right = n & half
  for (let i = 0; i < rounds; i++) {
    const next = left ^ mix(right, keys[i] ?? 0)
    left = right
    right = next
  }
  return ((left << 16) | right) >>> 0
}

/**
 * The transaction id of the `n`-th transaction (1 ≤ n < 2³¹). `keys` are four 32-bit numbers derived from the service's secret key; the same keys
 * always give the same bijection. Values outside 1…2³¹−1 are permuted again until they are inside (cycle walking), which keeps it a bijection.
 */
export const transactionIdOf = (n: number, keys: ReadonlyArray<number>): number => {
  let x = permute32(n >>> 0, keys)
  while (x === 0 || x > 0x7fffffff) x = permute32(x, keys)
  return x
}
