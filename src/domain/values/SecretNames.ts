/**
 * Which names stand for a secret: passwords, keys, PINs and tokens. OCPP 1.6 names only `AuthorizationKey`; all other configuration keys with a
 * secret are the vendors' own, so they are recognised by the words in their name. Names without such a word are listed. A name that only describes
 * a secret (`MinimumPasswordLength`, `TokenTimeout`) is not one.
 */

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

/** Found anywhere in a name without its separators, because `APNPASSWORD` cannot be split into words. */
const stems =
  /passw|passphrase|passcode|passkey|kennwort|contrase|losenord|motdepasse|pwd|preshared|credential|secret|(?:api|private|shared|auth|authorization|authorisation|authentication|access|encryption|signing|master|wifi|wlan|wpa2?|wep|vpn|hotspot|ssid|admin|aes|hmac)key$|simpin|cardpin|snmp\w*community|basicauth$/

/** Secret as whole words of a name. */
const wholeParts: ReadonlySet<string> = new Set([
  "pass",
  "pw",
  "psk",
  "pin",
  "pin1",
  "pin2",
  "puk",
  "token",
  "community"
])

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
const limits: ReadonlySet<string> = new Set(["length", "min", "minimum", "max", "maximum", "public", "enabled"])

/** These words describe a pin of a circuit. */
const circuit: ReadonlySet<string> = new Set(["gpio", "relay", "led", "input", "output", "digital", "analog", "pilot"])

/** Whether it is worth splitting a name into words: most names contain none of these. */
const hint = /pass|pw|psk|pin|puk|token|secret|cred|key|commun|auth|kenn|contra|losen|motde|wak/i

/** The longest name that is examined; OCPP's have at most 50 characters, and no vendor calls a secret by a sentence. */
const nameMost = 128

const splitName = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "")

/** True if a value with this name is secret. Case does not matter, and the words may be written in any usual way. */
export const isSecretName = (name: string): boolean => {
  const given = name.trim()
  if (given.length > nameMost || !hint.test(given)) return false
  if (vendorNames.has(given.toLowerCase())) return true
  const parts = splitName(given)
  const joined = parts.join("").replace(/\d+$/, "")
  const byStem = stems.test(joined)
  if (!byStem && !parts.some((word) => wholeParts.has(word))) return false
  // `CardPin` and `UserPassword` are secrets although `CardToken` and `PasswordUser` are not.
  if (byStem && !describing.has(parts.at(-1) ?? "")) return !parts.some((word) => limits.has(word))
  return !parts.some((word) => describing.has(word) || circuit.has(word))
}

/** A switch or an empty text: no secret, whatever its name. */
const harmless = /^\s*(?:|true|false|yes|no|on|off|[01]|null)\s*$/i

/** True if the value is secret because of its name. Flags are not (`WifiPassword: true`). */
export const isSecretEntry = (name: string, value: string): boolean => !harmless.test(value) && isSecretName(name)
