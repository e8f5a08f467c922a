/** The tables by version, and the envelope of each. */
import { type Check, envelope, type Schemas, time211, time22 } from "./Shape.ts"
import { v211 } from "./v211.ts"
import { v22 } from "./v22.ts"
import { v221 } from "./v221.ts"

export type Version = "2.1.1" | "2.2" | "2.2.1"

export const schemasOf: Readonly<Record<Version, Schemas>> = { "2.1.1": v211, "2.2": v22, "2.2.1": v221 }

export const envelopeOf: Readonly<Record<Version, Check>> = {
  "2.1.1": envelope(time211),
  "2.2": envelope(time22),
  "2.2.1": envelope(time22)
}

type NameSince22 =
  | "ActiveChargingProfile"
  | "ActiveChargingProfileResult"
  | "ChargingPreferencesResponse"
  | "ChargingProfileResponse"
  | "ChargingProfileResult"
  | "ClearProfileResult"
  | "ClientInfo"

/** The table of an object that exists since 2.2 only. */
export const schemaSince22 = (version: Version, name: NameSince22): Check => {
  const check = schemasOf[version][name]
  if (check === undefined) throw new Error(`OCPI ${version} has no ${name}`)
  return check
}
