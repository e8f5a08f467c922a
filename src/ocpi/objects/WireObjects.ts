/**
 * The encoders and decoders of each version, which translate between its objects and the domain's. A handler uses those of its exchange and
 * never checks the version. A new version adds a row.
 */
import type { Effect, Schema } from "effect"
import type { LocationConnector, LocationEvse } from "../../domain/site/Location.ts"
import type { Credentials } from "../../domain/roaming/Credentials.ts"
import type { OcpiVersion } from "../protocol/Version.ts"
import { cdrsV211 } from "./cdr/v211.ts"
import { cdrsV22 } from "./cdr/v22.ts"
import { cdrsV221 } from "./cdr/v221.ts"
import type { WireCdrs } from "./cdr/Enums.ts"
import { commandsV211 } from "./command/v211.ts"
import { commandsV22 } from "./command/v22.ts"
import { commandsV221 } from "./command/v221.ts"
import type { WireCommands } from "./command/Enums.ts"
import { profilesV22, type WireProfiles } from "./chargingprofile/v22.ts"
import { credentialsV211 } from "./credentials/v211.ts"
import { credentialsV22 } from "./credentials/v22.ts"
import { wireLocations, type WireLocation } from "./location/Texts.ts"
import { connectorV211, evseV211 } from "./location/v211.ts"
import { connectorV22, evseV22 } from "./location/v22.ts"
import { connectorV221, evseV221 } from "./location/v221.ts"
import { sessionsV211 } from "./session/v211.ts"
import { sessionsV22 } from "./session/v22.ts"
import { sessionsV221 } from "./session/v221.ts"
import type { WireSessions } from "./session/Enums.ts"
import type { WireEncoder } from "./Strict.ts"
import type { PartyTariff } from "./tariff/Parts.ts"
import { tariffV211 } from "./tariff/v211.ts"
import { tariffV22 } from "./tariff/v22.ts"
import type { WireTokens } from "./token/Enums.ts"
import { tokensV211 } from "./token/v211.ts"
import { tokensV22 } from "./token/v22.ts"

export interface WireObject<A> {
  readonly decode: (input: unknown) => Effect.Effect<A, Schema.SchemaError>
  /** JSON of this version. */
  readonly encode: (value: A) => unknown
}

export interface WireObjects {
  readonly cdrs: WireCdrs
  readonly commands: WireCommands
  readonly credentials: WireObject<Credentials>
  readonly location: WireLocation
  readonly evse: WireEncoder<LocationEvse>
  readonly connector: WireEncoder<LocationConnector>
  readonly tariff: WireEncoder<PartyTariff>
  /** Undefined if the version has no charging profiles. */
  readonly profiles?: WireProfiles
  readonly sessions: WireSessions
  readonly tokens: WireTokens
}

export const wireObjects: Readonly<Record<OcpiVersion, WireObjects>> = {
  "2.1.1": {
    cdrs: cdrsV211,
    commands: commandsV211,
    credentials: credentialsV211,
    location: wireLocations["2.1.1"],
    evse: evseV211,
    connector: connectorV211,
    tariff: tariffV211,
    sessions: sessionsV211,
    tokens: tokensV211
  },
  "2.2": {
    cdrs: cdrsV22,
    commands: commandsV22,
    profiles: profilesV22,
    credentials: credentialsV22,
    location: wireLocations["2.2"],
    evse: evseV22,
    connector: connectorV22,
    tariff: tariffV22,
    sessions: sessionsV22,
    tokens: tokensV22
  },
  "2.2.1": {
    cdrs: cdrsV221,
    commands: commandsV221,
    profiles: profilesV22,
    credentials: credentialsV22,
    location: wireLocations["2.2.1"],
    evse: evseV221,
    connector: connectorV221,
    tariff: tariffV22,
    sessions: sessionsV221,
    tokens: tokensV22
  }
}
