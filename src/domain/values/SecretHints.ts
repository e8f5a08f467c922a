/**
 * A quick check whether a text can name a secret at all. Most messages of chargers name none, and are examined no further. It reads each character
 * once and takes about a nanosecond for it, where one regular expression with all these parts takes seven.
 */

/**
 * Each name of a secret in `SecretNames` has one of these parts; a test compares them. The capitals are the three letters by which the part is found,
 * chosen so that ordinary messages have few of them. `\\u00` begins an ASCII letter in JSON that is written as an escape.
 */
const spellings =
  "pASS tOKEn sECRet CREd comMUN kenNWOrt contRASe sENOrd wacHTWoord aDGAng salASAna sLAPta cLAVe seNHA hASLo hASŁo hESLo gESLo jeLSZ lOZInka " +
  "pAROl pAROo IFRe bEARer AUTh prESHared MASter sECUrity paIRIng aDMIn iNSTaller UNLock acCESs actIVAtion veRIFication EYJhbgci EYJ0exai EYJrawqi ПАРоль パスワ 비밀번 \\U004 \\U005 \\U006 \\U007"

/** Parts of two and three letters. Encoded data contains them by chance, but with more data before the next quote or separator. */
const shortSpellings = "KEY PSK PIN PUK JWT MDP WAK PW 密码 密碼"

interface Part {
  readonly text: string
  /** Characters from its beginning to the end of the three by which it is found. */
  readonly found: number
  readonly isShort: boolean
}

const hash = (bits: number, code: number): number => ((bits << 5) | (code & 31)) & 32_767

const hashOf = (text: string): number => [...text].reduce((bits, character) => hash(bits, character.charCodeAt(0)), 0)

/** The parts by five bits of each of three characters. These bits do not depend on the case of ASCII letters. */
const partsByHash: ReadonlyMap<number, ReadonlyArray<Part>> = (() => {
  const all = new Map<number, Array<Part>>()
  const put = (key: number, part: Part) => all.set(key, [...(all.get(key) ?? []), part])
  const add = (spelling: string, isShort: boolean) => {
    const [found = ""] = /\p{Lu}[\p{Lu}\d]*|\p{Lo}+/u.exec(spelling) ?? []
    const three = found.slice(0, 3)
    const part = { text: spelling.toLowerCase(), found: spelling.indexOf(found) + three.length, isShort }
    for (const key of new Set([hashOf(three), hashOf(three.toLowerCase())])) {
      if (three.length === 3) put(key, part)
      else for (let before = 0; before < 32; before++) put((before << 10) | key, part)
    }
  }
  for (const spelling of spellings.split(" ")) add(spelling, false)
  for (const spelling of shortSpellings.split(" ")) add(spelling, true)
  return all
})()

const isPart: Uint8Array = (() => {
  const table = new Uint8Array(32_768)
  for (const key of partsByHash.keys()) table[key] = 1
  return table
})()

/** What may follow a short part up to the end of its name. */
const restOfName = /[\w.-]{0,48}(?:[^\w.+/-]|$)/y

const isThere = (text: string, { found, isShort, text: part }: Part, end: number): boolean => {
  const from = end - found
  if (from < 0 || text.slice(from, from + part.length).toLowerCase() !== part) return false
  // Drivers are authorised in most messages.
  if (part === "auth") return !/^ori[sz]e/i.test(text.slice(from + part.length, from + part.length + 5))
  restOfName.lastIndex = from + part.length
  return !isShort || restOfName.test(text)
}

/** Not a closure of the loop, which would then allocate its counter for each character. */
const isAnyThere = (text: string, bits: number, end: number): boolean =>
  partsByHash.get(bits)?.some((part) => isThere(text, part, end)) === true

/** False if the text certainly names no secret. */
export const mayNameSecret = (text: string): boolean => {
  let bits = 0
  for (let i = 0; i < text.length; i++) {
    bits = ((bits << 5) | (text.charCodeAt(i) & 31)) & 32_767
    if (isPart[bits] === 1 && isAnyThere(text, bits, i + 1)) return true
  }
  return false
}
