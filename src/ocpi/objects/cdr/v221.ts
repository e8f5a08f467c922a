/** CDRs in OCPI 2.2.1 §10.3. */
import { driverV221 } from "./Parties.ts"
import { cdrLocationV221 } from "./Places.ts"
import { signedDataV221 } from "./Signed.ts"
import { cdrV22, type WireCdrs } from "./Enums.ts"

const encode = cdrV22({ driver: driverV221, location: cdrLocationV221, signedData: signedDataV221 })

export const cdrsV221: WireCdrs = { encode, hasCredits: true }
