/**
 * Facts about an organisation's own records: what operators did to sites, chargers, tokens, keys and so on. They are in the same journal as the facts
 * that chargers reported. Each contains its author and the record before and after the change, but never a secret.
 */
import type { ConnectorEquipment, DescribedEvse } from "../site/Connector.ts"
import type { ChargerPolicy } from "../charger/ChargerState.ts"
import type { Quirk } from "../charger/Quirks.ts"
import type { TemplateKey } from "../charger/Template.ts"
import type { FileKind } from "../file/StoredFile.ts"
import type { Price } from "../values/Amount.ts"
import type { Connection, ExpectedParty, PartnerStatus, PartnerSwitches } from "../roaming/Partner.ts"
import type { CpoParty } from "../roaming/Party.ts"
import type { PauseReason, RolloutKind, RolloutState, TargetCounts } from "../rollout/Rollout.ts"
import type { CommandType } from "../command/Command.ts"
import type { Site } from "../site/Site.ts"
import type { Assignment, TariffBody } from "../tariff/Tariff.ts"
import type { PublishedCounts } from "../work/Work.ts"
import type { SubscriptionKindName } from "./Subscription.ts"
import type { RoamingToken } from "../token/RoamingToken.ts"
import type { Token } from "../token/Token.ts"

/** An operator's settings for a charger. What the charger itself reports has other facts. */
export interface ChargerRecord {
  readonly chargerId: string
  readonly siteId: string
  readonly name: string
  readonly securityProfile: number
  readonly registration: string
  /** Whether a password is set. The password and its verifier are never stored here. */
  readonly hasPassword: boolean
  /** Absent if none is registered. */
  readonly registeredSerialNumber?: string
  /** Only in `after`: true if the change replaced the password. */
  readonly passwordChanged?: boolean
  readonly equipment: ReadonlyArray<{ readonly evseId: number; readonly connectorId: number } & ConnectorEquipment>
  /** Absent if none is described. */
  readonly evses?: ReadonlyArray<DescribedEvse>
}

export interface OrganisationRecord {
  readonly name: string
  readonly countryCode: string
  readonly partyId: string
  readonly timeZone: string
  readonly closeSilentHours?: number
  readonly standbyPowerW?: number
  readonly requireSecondFactor?: boolean
  readonly policy: ChargerPolicy
}

/** A decision about a session that has ended. */
export interface SessionDecision {
  readonly sessionId: string
  readonly heldReason?: string
  readonly energyWh?: number
  readonly startedAt?: number
  readonly endedAt?: number
  readonly revision?: number
  readonly reason?: string
}

/** A CDR in the journal. The sealed record itself is stored in a separate table. */
export interface CdrRecord {
  readonly id: string
  readonly number: number
  readonly sessionId: string
  readonly currency: string
  readonly total: Price
  readonly creditReferenceId?: string
}

/** A key without its verifier. */
export interface ApiKeyRecord {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly operatorId: string
  readonly permissions: ReadonlyArray<string> | undefined
  /** ms epoch; missing if it never expires. */
  readonly expiresAt?: number | undefined
  /** Missing if it may be used from any network. */
  readonly networks?: ReadonlyArray<string> | undefined
  /** The key that replaces it. */
  readonly replacedBy?: string | undefined
}

/** A REST v1 pair without its `code`. */
export interface V1PairRecord {
  readonly clientId: string
}

/** A file without its content. */
export interface FileRecord {
  readonly id: string
  readonly kind: FileKind
  readonly name: string
  readonly size: number
  readonly chargerId?: string
  readonly sha256?: string
}

/** A partner without any token. */
export interface PartnerRecord {
  readonly id: string
  readonly name: string
  readonly status: PartnerStatus
  readonly expected?: ExpectedParty
  readonly switches: PartnerSwitches
  readonly connection?: Connection
}

/** An operator's decision about parked deliveries. */
export type DeliveryRecord =
  | { readonly itemId: string; readonly kind: string; readonly objectId: string }
  /** All parked deliveries of a subscription at once. */
  | { readonly items: number }

/** A webhook without its secrets. */
export interface WebhookRecord {
  readonly id: string
  readonly url: string
  readonly types?: ReadonlyArray<string>
  readonly siteIds?: ReadonlyArray<string>
  readonly active: boolean
}

/** An operator's membership in the organisation. */
export interface OperatorRecord {
  readonly id: string
  readonly email: string
  readonly name: string
  /** A built-in role, or the name of one of the organisation's own roles. */
  readonly role: string
  readonly additions: ReadonlyArray<string>
  readonly removals: ReadonlyArray<string>
  readonly active: boolean
}

/** An organisation's own role. */
export interface RoleRecord {
  readonly id: string
  readonly name: string
  readonly permissions: ReadonlyArray<string>
}

export type LinkChange = "LinkCreated" | "LinkUsed" | "LinkRevoked"

/** A link without its secret. */
export interface LinkRecord {
  readonly id: string
  readonly kind: string
  readonly email: string
  readonly role?: string
  readonly expiresAt?: number
}

export type SignInChange = "SignedIn" | "SignInRenewed" | "SignInEnded"

/** A sign-in without its secret. */
export interface SignInRecord {
  readonly id: string
  readonly operatorId: string
  readonly strength: string
  readonly network: string
  /** True if the person signed in by the organisation's identity provider; otherwise absent. */
  readonly singleSignOn?: boolean
  /** Failed attempts from the same place before it. */
  readonly failuresBefore?: number
}

export type CredentialChange =
  | "PasskeyAdded"
  | "PasskeyRemoved"
  | "PasswordChanged"
  | "SecondFactorSet"
  | "SecondFactorRemoved"
  | "RecoveryCodesReplaced"

/** The operator whose means of signing in have changed. */
export interface CredentialRecord {
  readonly operatorId: string
}

/** The number of wrong passwords, or of wrong codes of the second factor, for an account. */
export interface FailuresRecord {
  readonly operatorId: string
  readonly failures: number
  readonly network: string
}

/** An organisation's identity provider without the client secret. Roles are names of built-in roles, or ids of the organisation's own roles. */
export interface SingleSignOnRecord {
  readonly issuer: string
  readonly clientId: string
  readonly hasClientSecret: boolean
  readonly scopes: ReadonlyArray<string>
  readonly groupsClaim: string
  readonly groupRoles: ReadonlyArray<{ readonly group: string; readonly role: string }>
  readonly defaultRole?: string
  readonly domains: ReadonlyArray<string>
  readonly trustEmail: boolean
  readonly enabled: boolean
  readonly passwordForOwnersOnly: boolean
}

/** A domain of email addresses that is verified, or no longer. */
export interface SignOnDomainRecord {
  readonly domain: string
  readonly verifiedBy: string
}

/** The link between an identity at a provider and an operator. */
export interface IdentityRecord {
  readonly operatorId: string
  readonly issuer: string
  readonly subject: string
}

/** A person who proved an identity at the provider, but was refused. */
export interface SignOnRefusedRecord {
  readonly issuer: string
  readonly subject: string
  readonly email?: string
  readonly why: string
  readonly network: string
}

/** A command batch or firmware campaign. The commands to its chargers have their own facts. */
export interface RolloutRecord {
  readonly id: string
  readonly kind: RolloutKind
  readonly name: string
  readonly type: CommandType
  readonly targets: number
  readonly state: RolloutState
  readonly pauseReason?: PauseReason
}

interface RecordFactOf<Type extends string, A> {
  /** Business key, unique over the service; hashed before it is stored. */
  readonly key: string
  readonly organisationId: string
  readonly type: Type
  /** `site:<id>`, `charger:<id>`, `token:<uid>`, `organisation:<id>`, `api-key:<id>`, `v1:<clientId>`, `file:<id>`. */
  readonly subject: string
  /** ms epoch. */
  readonly at: number
  readonly heardAt: number
  readonly body: {
    /** `Principal.actor`, or `platform` for what the service does on its own. */
    readonly by: string
    /** Absent if it was created. */
    readonly before?: A
    /** Absent if it was removed. */
    readonly after?: A
  }
}

/** A fact that the service itself notes. It has no author, so it is not in the audit log. */
type NotedFact<Type extends string, Body> = Omit<RecordFactOf<Type, never>, "body"> & { readonly body: Body }

/** A new price of a session. Partners did not get it with the reading that changed it, so they are sent the session again. */
export type SessionPriced = NotedFact<"SessionPriced", { readonly sessionId: string }>

/** A subscriber refused an object several times, or its delivery failed for days. */
export type DeliveryParked = NotedFact<
  "DeliveryParked",
  {
    readonly subscriber: SubscriptionKindName
    readonly itemId: string
    readonly kind: string
    readonly objectId: string
    readonly problem: string
  }
>

/** A partner stopped answering, or answers again. */
export type PartnerHealthChanged = NotedFact<
  "PartnerHealthChanged",
  { readonly name: string; readonly isDown: boolean; readonly problem: string | null }
>

/** The present counts of the work queues. */
export type WorkChanged = NotedFact<"WorkChanged", PublishedCounts>

/** Some chargers of a rollout have reached their outcome. */
export type RolloutProgressed = NotedFact<
  "RolloutProgressed",
  { readonly kind: RolloutKind; readonly counts: TargetCounts }
>

export type ServiceFact = SessionPriced | DeliveryParked | PartnerHealthChanged | WorkChanged | RolloutProgressed

/** Facts that may change the permissions of a caller. */
export const accessFacts = [
  "OperatorChanged",
  "RoleChanged",
  "RoleRemoved",
  "ApiKeyRotated",
  "ApiKeyRevoked",
  "SignInRenewed",
  "SignInEnded",
  "PasswordChanged",
  "SecondFactorRemoved",
  "OrganisationChanged",
  "SingleSignOnChanged",
  "SingleSignOnRemoved"
] as const satisfies ReadonlyArray<RecordFact["type"]>

/** The facts that an operator's changes to chargers make. */
export const chargerFacts = ["ChargerRegistered", "ChargerChanged", "ChargerRemoved"] as const

export type RecordFact =
  | RecordFactOf<"SiteCreated" | "SiteChanged" | "SiteRemoved", Site>
  | RecordFactOf<(typeof chargerFacts)[number], ChargerRecord>
  | RecordFactOf<"TokenCreated" | "TokenChanged" | "TokenRemoved", Token>
  | RecordFactOf<"RoamingTokenChanged", RoamingToken>
  | RecordFactOf<"OrganisationCreated" | "OrganisationChanged", OrganisationRecord>
  | RecordFactOf<"ApiKeyIssued" | "ApiKeyRotated" | "ApiKeyRevoked", ApiKeyRecord>
  | RecordFactOf<"V1PairIssued" | "V1PairRevoked", V1PairRecord>
  | RecordFactOf<"OperatorAdded" | "OperatorChanged", OperatorRecord>
  | RecordFactOf<"RoleCreated" | "RoleChanged" | "RoleRemoved", RoleRecord>
  | RecordFactOf<LinkChange, LinkRecord>
  | RecordFactOf<SignInChange, SignInRecord>
  | RecordFactOf<"SignInsRefused" | "SecondFactorRefused", FailuresRecord>
  | RecordFactOf<"SingleSignOnChanged" | "SingleSignOnRemoved", SingleSignOnRecord>
  | RecordFactOf<"SignOnDomainVerified" | "SignOnDomainLost", SignOnDomainRecord>
  | RecordFactOf<"IdentityLinked", IdentityRecord>
  | RecordFactOf<"SingleSignOnRefused", SignOnRefusedRecord>
  | RecordFactOf<CredentialChange, CredentialRecord>
  | RecordFactOf<
      "TariffCreated" | "TariffChanged" | "TariffRemoved",
      TariffBody & { readonly id: string; readonly version: number }
    >
  | RecordFactOf<"TariffAssigned" | "TariffUnassigned", Assignment & { readonly tariffId: string }>
  | RecordFactOf<
      | "PartnerCreated"
      | "PartnerChanged"
      | "PartnerRemoved"
      | "PartnerInvited"
      | "PartnerRegistered"
      | "PartnerUnregistered",
      PartnerRecord
    >
  | RecordFactOf<"PartyCreated", CpoParty>
  | RecordFactOf<"WebhookCreated" | "WebhookChanged" | "WebhookRemoved" | "WebhookSecretRotated", WebhookRecord>
  | RecordFactOf<"CdrIssued", CdrRecord>
  | RecordFactOf<"SessionClosed" | "SessionHeld" | "SessionReleased" | "SessionCorrected", SessionDecision>
  | RecordFactOf<"ConfigurationTemplateChanged", { readonly keys: ReadonlyArray<TemplateKey> }>
  | RecordFactOf<"RolloutChanged", RolloutRecord>
  | RecordFactOf<"UnknownChargerForgotten", { readonly chargerId: string }>
  | RecordFactOf<"FirmwareStored" | "FileRemoved", FileRecord>
  | RecordFactOf<"QuirksChanged", { readonly rules: ReadonlyArray<Quirk> }>
  | RecordFactOf<"DeliveryReplayed" | "DeliveryDiscarded", DeliveryRecord>
