/**
 * Masks secrets in text from outside, in the notations that chargers, partners and operators use: JSON, lists of pairs (`user=a;password=b`), XML,
 * URLs with a password or a token, and private keys. Text without a secret is returned unchanged.
 */
import { maskUrls } from "./SecretAddresses.ts"
import { maskJson } from "./SecretJson.ts"
import { mayNameSecret } from "./SecretHints.ts"
import { isCredentialsHeader, isSecretEntry, isSecretName, maskedValue } from "./SecretNames.ts"

/** A private key in PEM. It ends with its own last line, or if that is missing with the string that contains it. */
const privateKey = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[^"]*?(?:-----END [A-Z ]{0,32}PRIVATE KEY-----|(?=")|$)/g

/**
 * The text without private keys. No OCPP message has a field for one, but an operator may paste too much together with
 * a certificate.
 */
export const maskPrivateKeys = (text: string): string =>
  text.includes("PRIVATE KEY-----") ? text.replace(privateKey, maskedValue) : text

/**
 * What precedes a value: `name=`, `name: `, `"name": `, `name => `. The word before the name may belong to it (`API key: `). All lengths are
 * limited, so that backtracking is short.
 */
const pairName =
  /(?<![\p{L}\d_.-])((?:[\p{L}\d_-]{1,32} )?)(\p{L}[\p{L}\d_.-]{1,63})(["']?\s{0,4}(?:=>|:=|[=:])\s{0,4})/gu

/** The value of a pair: a quoted text, also without its end, or all up to the usual separators. */
const pairValue = /"(?:[^"\\\n]|\\[^\n])*"?|'[^'\n]*'?|[^;,&|<>"'\r\n]+/y

/** The value of a header with credentials, which may contain separators. */
const lineValue = /[^\r\n]+/y

/** `<name>value</name>`, also without its end; the value may be CDATA. */
const element =
  /(<(?:[\w.-]{1,32}:)?([\p{L}\d_.-]{1,64})(?:\s[^<>]{0,256})?>\s{0,16})(<!\[CDATA\[[^]{0,2048}?\]\]>|[^<]+)/gu

/** `<key>name</key><value>value</value>` */
const namedElement =
  /(<(?:key|name|param|parameter|id)>\s{0,16}([^<]{1,64})<\/[\w.-]{1,32}>\s{0,16}<[\w.-]{1,32}>\s{0,16})(<!\[CDATA\[[^]{0,2048}?\]\]>|[^<]+)/gi

/** `<param name="name" value="value"/>` and `<param name="name">value</param>`. */
const namedTag =
  /(<[\w.:-]{1,64}\s[^<>]{0,128}?\b(?:key|name|param|parameter|id)=(["'])([^"'<>]{1,64})\2)([^<>]{0,512}>)([^<]*)/gi

const attributeValue = /(=\s{0,4})(?:"[^"]*"|'[^']*')/g

/** An option of a command line: `--password value`. */
const option = /((?:^|\s)--?([\p{L}][\p{L}\d_-]{1,63})\s{1,4})(?!-)("[^"\n]*"?|'[^'\n]*'?|\S+)/gu

/** Between fields. Commas are not among these: lists of names have them. */
const fieldEnd = /([;|\t])/

/** A field that is the name of a secret. `pass` alone is the result of a test. */
const isNameField = (given: string): boolean =>
  /^[\p{L}\d_.-]{2,64}$/u.test(given) && given.toLowerCase() !== "pass" && isSecretName(given)

/** A field after the field with its name: `wifi;password;value`. */
const maskFields = (text: string): string => {
  if (!fieldEnd.test(text)) return text
  const fields = text.split(fieldEnd)
  return fields
    .map((value, i) => {
      const name = (fields[i - 2] ?? "").trim()
      const isValue = i % 2 === 0 && isNameField(name) && !isNameField(value.trim()) && isSecretEntry(name, value)
      return isValue ? maskedValue : value
    })
    .join("")
}

/** The modem's commands that have PINs and passwords as arguments. */
const modem = /(\bAT\+C(?:PIN|PWD|LCK|GAUTH)\s?=)[^\r\n;]+/gi

/** A JSON Web Token, recognised by the beginnings of its header. */
const webToken = /\beyJ(?:hbGci|0eXAi|raWQi)[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*)?/g

const quoted = /^(["'])(.*?)\1?$/s

const maskPairs = (text: string): string => {
  let shown = ""
  let done = 0
  for (const found of text.matchAll(pairName)) {
    const [all, before = "", name = "", between = ""] = found
    const from = found.index + all.length
    if (from < done) continue
    const names = [name, `${before}${name}`]
    const read = (value: RegExp): string => {
      value.lastIndex = from
      return value.exec(text)?.[0] ?? ""
    }
    const isHeader = isCredentialsHeader(name, text.slice(from, from + 64).replace(/^["']/, ""))
    // Reading the value of every pair would take quadratic time.
    if (!isHeader && !names.some(isSecretName)) continue
    const value = read(isHeader && !/["']$/.test(between.trimEnd()) ? lineValue : pairValue)
    const [, quote = "", inner = value] = quoted.exec(value) ?? []
    if (inner === "" || !(isHeader || names.some((one) => isSecretEntry(one, inner)))) continue
    shown += text.slice(done, from) + quote + maskedValue + (value.length > 1 ? quote : "")
    done = from + value.length
  }
  return shown + text.slice(done)
}

const maskElements = (text: string): string =>
  text
    .replace(namedTag, (all, before: string, _, name: string, attributes: string, inner: string) => {
      if (!isSecretName(name)) return all
      const shown = attributes.replace(attributeValue, `$1"${maskedValue}"`)
      return before + shown + (inner.trim() === "" ? inner : maskedValue)
    })
    .replace(namedElement, (all, before: string, name: string, value: string) =>
      isSecretEntry(name, value) ? before + maskedValue : all
    )
    .replace(element, (all, before: string, name: string, value: string) =>
      isSecretEntry(name, value) ? before + maskedValue : all
    )

/** Secrets in a text that is not JSON. */
const maskNotations = (text: string): string => {
  const shown = (all: string, before: string, name: string, value: string) =>
    isSecretEntry(name, value) && !isSecretName(value) ? before + maskedValue : all
  const tagged = text.includes("<") ? maskElements(text) : text
  return maskFields(maskPairs(tagged.replace(modem, `$1${maskedValue}`)).replace(option, shown))
}

/** How often JSON may be written as a string in JSON: chargers' messages have it once, gateways add another. */
const nestedMost = 3

const shown = (text: string, depth: number): string => {
  const inside = depth < nestedMost ? (nested: string) => shown(nested, depth + 1) : undefined
  const named = /^\s*[{[]/.test(text) ? maskJson(text, inside) : undefined
  return maskPrivateKeys(
    (named === undefined ? maskNotations(maskUrls(text)) : maskUrls(named)).replace(webToken, maskedValue)
  )
}

/** False if the text certainly contains no secret in any notation. Most messages contain none, and their check must cost next to nothing. */
export const mayHoldSecret = (text: string): boolean =>
  text.includes(":/") || text.includes(":\\/") || text.includes("PRIVATE KEY-----") || mayNameSecret(text)

/** The text as it may be stored and shown. */
export const shownText = (text: string): string => (mayHoldSecret(text) ? shown(text, 0) : text)

/** The value of a configuration key as it may be stored and shown. */
export const shownValue = (key: string, value: string): string =>
  isSecretEntry(key, value) ? maskedValue : shownText(value)

/** True if the text names a secret anywhere, for text of unknown form. */
export const namesSecret = (text: string): boolean => {
  for (const [name] of text.matchAll(/[\p{L}\d][\p{L}\d_. -]{1,128}/gu)) if (isSecretName(name)) return true
  return false
}
