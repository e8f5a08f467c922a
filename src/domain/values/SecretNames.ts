/**
 * Which names stand for a secret: passwords, keys, PINs and tokens. OCPP 1.6 names only `AuthorizationKey`; all other configuration keys with a
 * secret are the vendors' own, so they are recognised by the words in their name. Names without such a word are listed. A name that only describes
 * a secret (`MinimumPasswordLength`, `TokenTimeout`) is not one.
 */

import { mayNameSecret } from "./SecretHints.ts"

/** What replaces a secret wherever it is shown. */
export const maskedValue = "***"

/** Vendors' names that do not say that they are secret, in lower case. */
const vendorNames: ReadonlySet<string> = new Set([
  /** Growatt: the password of the charger's own menu. */
  "g_authentication",
  /** go-e: the password of its own Wi-Fi. */
  "wak",
  /** Chargers that follow net-snmp's names. */
  "rocommunity",
  "rwcommunity"
])

/** Found anywhere in a name without its separators and accents, because `APNPASSWORD` cannot be split into words. */
const stems =
  /passw|passphrase|passcode|passkey|passord|kennwort|contrase|losenord|motdepasse|wachtwoord|adgangskode|salasana|slaptazod|пароль|密码|密碼|パスワード|비밀번호|pwd|preshared|credential|secret|simpin|cardpin|snmp\w*community/

/** What may follow the name of a secret without changing that it is one: its encoding, or which of several it is. */
const endings = String.raw`(?: ?(?:hex|base ?64|b64|ascii|plain|plaintext|cleartext|encoded|encrypted|value|val|string|str|text|data|raw|new|old|current|default|\d+))*$`

/** Whose keys are secret, also within a longer word. Keys of no known owner (`HotKey`, `KeyCount`) are ordinary. */
const keyOwners =
  "api|private|shared|auth|authorization|authorisation|authentication|access|encryption|decryption|signing|master|wifi|wlan|wpa2|wpa3|wpa|wep|vpn|hotspot|ssid|admin|aes|hmac|network|client|backend|desfire|mifare|activation|licen[sc]e|wireguard"

/** These are too short to be recognised within a longer word. */
const shortKeyOwners =
  "tls|ssl|ssh|enc|dec|des|rsa|ecdsa|nfc|psk|app|apps|nwk|nwks|server|device|root|cloud|csms|ocpp|mqtt|session|security|pairing|product"

/** A key of one of these owners, and the two keys of a Mifare sector. */
const keys = new RegExp(`(?:(?:${keyOwners})|\\b(?:${shortKeyOwners})) ?key(?: ?[ab])?${endings}`)

/** The technology may be anywhere in the name: `MifareDefaultKey`. */
const ownedKeys = new RegExp(`\\b(?:${keyOwners}|${shortKeyOwners})\\b.*\\bkey(?: ?[ab])?${endings}`)

/** Codes that open something; `ErrorCode` and `CountryCode` do not. */
const codes = new RegExp(
  `(?:master|security|pairing|admin|installer|unlock|access|activation|authori[sz]ation|verification|secret) ?code${endings}`
)

/** Logins of a connection. In `LocalAuth` and `OfflineAuth` drivers are authorised. */
const logins = new RegExp(`(?:basic|proxy|apn|http|https|ftp|smtp|mqtt|vpn|wifi|websocket) ?auth${endings}`)

/** A bearer token of OAuth; other bearers are those of mobile networks. */
const bearers = /auth bearer|^bearer$/

/** Secret as whole words of a name, without digits at their end. */
const wholeParts: ReadonlySet<string> = new Set([
  "pass",
  "pw",
  "psk",
  "pin",
  /** The command that gives a modem the PIN: `AT+CPIN`. */
  "cpin",
  "puk",
  "token",
  "jwt",
  "community",
  "mdp",
  "clave",
  "senha",
  "haslo",
  "heslo",
  "geslo",
  "jelszo",
  "lozinka",
  "parola",
  "parool",
  "sifre"
])

/** These belong to drivers too: `RfidToken`. */
const driversParts: ReadonlySet<string> = new Set(["token", "community"])

/** Words of a name that describes a secret, or that belongs to something else. */
const describing: ReadonlySet<string> = new Set([
  "length",
  "min",
  "minimum",
  "max",
  "maximum",
  "size",
  "count",
  "number",
  "type",
  "mode",
  "format",
  "policy",
  "timeout",
  "interval",
  "lifetime",
  "expiry",
  "expiration",
  "expires",
  "age",
  "validity",
  "retries",
  "attempts",
  "enable",
  "enabled",
  "disable",
  "disabled",
  "required",
  "supported",
  "allowed",
  "changed",
  "is",
  "has",
  "use",
  "user",
  "username",
  "url",
  "uri",
  "host",
  "algorithm",
  "issuer",
  "public",
  // A driver's card, which OCPP calls an id token.
  "id",
  "uid",
  "tag",
  "rfid",
  "card",
  "through",
  "thru"
])

/** Words of a limit, which make a name harmless wherever they are. */
const limits: ReadonlySet<string> = new Set(["length", "min", "minimum", "max", "maximum", "enabled"])

/** These words describe a pin of a circuit or of a plug, a filter, or a bypass. */
const circuit: ReadonlySet<string> = new Set([
  "gpio",
  "relay",
  "led",
  "input",
  "output",
  "digital",
  "analog",
  "pilot",
  "plug",
  "contact",
  "by",
  "low",
  "high",
  "band"
])

/** What follows one of these words is whose secret it is, or of what the name is a property: `PasswordForUser`, `LengthOfPassword`. */
const relations: ReadonlySet<string> = new Set(["for", "of"])

/** The longest name that is examined; OCPP's have at most 50 characters, and no vendor calls a secret by a sentence. */
const nameMost = 128

/** Letters as they are written by chargers without accents. */
const withoutAccents = (name: string): string =>
  /[\u0080-\uffff]/.test(name)
    ? name
        .normalize("NFD")
        .replace(/[\u0300-\u036f]/g, "")
        .normalize("NFC")
        .replace(/ł/g, "l")
        .replace(/Ł/g, "L")
    : name

const splitName = (name: string): ReadonlyArray<string> =>
  withoutAccents(name)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "")

/** The words before `for` or `of`. */
const mainPart = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = words.findIndex((word, i) => i > 0 && relations.has(word))
  return end < 0 ? words : words.slice(0, end)
}

/** Whether the words are those of a key, a code or a login. Some names have their capitals at the wrong places, so they are also read as one word. */
const isOfKind = (words: ReadonlyArray<string>): boolean =>
  [words.join(" "), words.join("")].some(
    (name) =>
      (!words.includes("public") && (keys.test(name) || ownedKeys.test(name))) ||
      codes.test(name) ||
      logins.test(name) ||
      bearers.test(name)
  )

/** True if a value with this name is secret. Case does not matter, and the words may be written in any usual way. */
export const isSecretName = (name: string): boolean => {
  const given = name.trim()
  if (given.length > nameMost || !mayNameSecret(given)) return false
  if (vendorNames.has(given.toLowerCase())) return true
  const named = mainPart(splitName(given))
  const last = named.at(-1) ?? ""
  const byStem = stems.test(named.join("")) || isOfKind(named)
  // `CardPin` and `UserPassword` are secrets although `CardToken` and `PasswordUser` are not.
  if (byStem && !describing.has(last)) return !named.some((word) => limits.has(word))
  const parts = named.map((word) => word.replace(/\d+$/, ""))
  if (!byStem && !parts.some((word) => wholeParts.has(word))) return false
  const end = parts.findLast((word) => word !== "") ?? ""
  if (wholeParts.has(end) && !driversParts.has(end)) return !named.some((word) => limits.has(word) || circuit.has(word))
  return !named.some((word) => describing.has(word) || circuit.has(word))
}

/** A switch or an empty text: no secret, whatever its name. */
const harmless = /^\s*(?:|true|false|yes|no|on|off|[01]|null)\s*$/i

/** Methods of a login, which chargers also have under names such as `ApnAuth`. */
const methods = /^\s*(?:none|auto|pap|chap|pap.{1,3}chap|mschap(?:v2)?|basic|digest)\s*$/i

const endsInAuth = /auth\d*\s*$/i

/** The header of HTTP that has credentials after the name of their scheme. */
const header = /^\s*(?:[\w-]{1,32}-)?authori[sz]ation\s*$/i

const scheme = /^\s*(?:basic|bearer|digest|token|apikey|negotiate|ntlm|hmac|aws4-[\w-]{1,32}|[\w-]{1,32}key)\s+\S/i

export const isHeaderName = (name: string): boolean => header.test(name)

/** True if the name and the value are a header of HTTP with credentials. A driver's authorisation has no such value. */
export const isCredentialsHeader = (name: string, value: string): boolean => header.test(name) && scheme.test(value)

/** True if the value is secret because of its name. Flags are not (`WifiPassword: true`). */
export const isSecretEntry = (name: string, value: string): boolean =>
  isSecretName(name)
    ? !harmless.test(value) && !(endsInAuth.test(name) && methods.test(value))
    : isCredentialsHeader(name, value)
