/**
 * Public keys of meters in vendors' data. Some makes send theirs by DataTransfer instead of a configuration key: as
 * `{"meters":[{"connectorId":1,"publicKey":"…"}]}` (generalConfiguration/setMeterConfiguration), or as one such object, under a vendor and message
 * id that is itself a setting of the charger. So they are recognised by their content, whatever the ids.
 */
import { Option, Schema } from "effect"

/** The key of the meter of one EVSE; EVSE 0: of every EVSE that has no key of its own. */
export interface MeterKey {
  readonly evseId: number
  /** As the charger wrote it: hexadecimal, base64 or PEM. */
  readonly publicKey: string
}

/** The most keys of one message, and the highest EVSE: no charger has more. */
const keysMost = 16
const evseMost = 255

/** The most characters of data that is searched. */
const dataMost = 65_536

const named = /public_?key/i

const parse = Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))

/** The forms in which keys are written: digits, base64 and the lines of PEM. */
const keyForm = /^[\w+/=:.\s-]{8,5000}$/

const fieldsOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(
    typeof value === "object" && value !== null
      ? Object.entries(value).map(([name, field]) => [name.toLowerCase().replaceAll("_", ""), field])
      : []
  )

const evseOf = (fields: ReadonlyMap<string, unknown>): number | undefined => {
  const given = fields.get("connectorid") ?? fields.get("evseid") ?? 0
  const evseId = typeof given === "string" && /^\d{1,3}$/.test(given) ? Number(given) : given
  return typeof evseId === "number" && Number.isInteger(evseId) && evseId >= 0 && evseId <= evseMost
    ? evseId
    : undefined
}

const keyIn = (value: unknown): ReadonlyArray<MeterKey> => {
  const fields = fieldsOf(value)
  const publicKey = fields.get("publickey") ?? fields.get("meterpublickey")
  const evseId = evseOf(fields)
  if (typeof publicKey !== "string" || evseId === undefined || !keyForm.test(publicKey.trim())) return []
  return [{ evseId, publicKey: publicKey.trim() }]
}

/** The keys in the data of a DataTransfer, the last one for each EVSE; none in other data. */
export const meterKeysIn = (data: string): ReadonlyArray<MeterKey> => {
  if (data.length > dataMost || !named.test(data)) return []
  const value = Option.getOrUndefined(parse(data))
  const meters = Array.isArray(value) ? value : fieldsOf(value).get("meters")
  const all = (Array.isArray(meters) ? meters : [value]).slice(0, keysMost).flatMap(keyIn)
  return [...new Map(all.map((key) => [key.evseId, key])).values()]
}
