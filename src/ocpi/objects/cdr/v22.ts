/** CDRs in OCPI 2.2 §10.3: the token without the party that owns it, and a postal code in every location. */
import { driverV22 } from "./Parties.ts"
import { cdrLocationV22 } from "./Places.ts"
import { signedDataV22 } from "./Signed.ts"
import { cdrV22, type WireCdrs } from "./Enums.ts"

const encode = cdrV22({ driver: driverV22, location: cdrLocationV22, signedData: signedDataV22 })

export const cdrsV22: WireCdrs = { encode, hasCredits: true }
