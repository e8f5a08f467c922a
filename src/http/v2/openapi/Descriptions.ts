/**
 * The descriptions and examples in REST v2's OpenAPI document. A test reports what lacks a description, and descriptions that are not used.
 */
import { chargerStatusDescriptions } from "../../openapi/ChargerStatusDescriptions.ts"
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { csvHead } from "../sessions/CdrLines.ts"
import {
  singleSignOnBodies,
  singleSignOnDescriptions,
  singleSignOnOperations,
  singleSignOnTags
} from "./SingleSignOnDescriptions.ts"
import { accountBodies, accountDescriptions, accountOperations, accountTags } from "./AccountDescriptions.ts"
import { bodies } from "./Bodies.ts"
import { chargerDescriptions } from "./ChargerDescriptions.ts"
import { commandDescriptions } from "./CommandDescriptions.ts"
import { common } from "./Common.ts"
import { operations, tags } from "./OperationDescriptions.ts"
import { partnerDescriptions } from "./PartnerDescriptions.ts"
import { platformDescriptions } from "./PlatformDescriptions.ts"
import { refusals, statuses } from "./Refusals.ts"
import { rolloutBodies, rolloutDescriptions, rolloutOperations, rolloutTags } from "./RolloutDescriptions.ts"
import { sessionDescriptions } from "./SessionDescriptions.ts"
import { siteDescriptions } from "./SiteDescriptions.ts"
import { tariffDescriptions } from "./TariffDescriptions.ts"

/** Names of enumerations, each with a place where the enumeration occurs. */
const enums: Descriptions["enums"] = {
  HubClientStatus: "HubClient.status",
  PartnerStatus: "Partner.status",
  DeliveryState: "PartnerDeliveries.state",
  Direction: "LoggedMessage.direction",
  WebhookDeliveryStatus: "WebhookDelivery.status",
  EventType: "Webhook.types",
  PartnerChangeKind: "Event.partner.changed.data.change",
  PartnerHealthState: "Event.partner.health.data.state",
  ParkedKind: "Event.delivery.parked.data.kind",
  ChangeKind: "Event.site.changed.data.change",
  TariffChangeKind: "Event.tariff.changed.data.change",
  SessionUpdateReason: "Event.session.updated.data.reason",
  Registration: "Charger.registration",
  DeliveredKind: "ParkedDelivery.kind",
  PartnerRole: "Partner.roles",
  TokenForm: "PartnerSwitches.tokenForm",
  OcpiVersion: "PartnerHandover.version",
  TariffDimension: "PriceLine.dimension",
  TariffScope: "PlacedTariffAssignment.scope",
  TariffVerdict: "JudgedTariffAssignment.verdict",
  PriceLineKind: "PriceLine.kind",
  PriceUnit: "PriceLine.unit",
  DayOfWeek: "TariffElement.restrictions.dayOfWeek",
  ReservationRestriction: "TariffElement.restrictions.reservation",
  Evidence: "PricedPeriod.evidence",
  SignedValueNature: "SignedData.signedValues.nature",
  AuthMethod: "Roaming.authMethod",
  SeriesMetric: "Series.metric",
  SeriesUnit: "Series.unit",
  SeriesStep: "Series.step",
  ChargerState: "ChargerRow.state",
  ChargerRefusalReason: "Event.charger.refused.data.reason",
  FrameFault: "Event.frames.faulty.data.fault",
  ChargerField: "Event.charger.changed.data.fields",
  ConnectorStatus: "ExampleSession.statuses.status",
  TariffType: "Tariff.type",
  EnergySource: "Tariff.energyMix.energySources.source",
  EnvironmentalImpact: "Tariff.energyMix.environImpact.category",
  CommandType: "Command.type",
  CommandStatus: "Command.status",
  CommandEffect: "Command.effect",
  RolloutState: "CommandBatch.state",
  RolloutKind: "Event.rollout.changed.data.kind",
  PauseReason: "CommandBatch.pauseReason",
  RolloutTargetState: "RolloutTarget.state",
  FileKind: "File.kind",
  FileState: "File.state",
  LocalListState: "LocalList.state",
  ChargingRateUnit: "ChargingSchedule.chargingRateUnit",
  ChargingProfilePurpose: "ChargingProfile.chargingProfilePurpose",
  ChargingProfileKind: "ChargingProfile.chargingProfileKind",
  RecurrencyKind: "ChargingProfile.recurrencyKind",
  Permission: "NewApiKey.permissions",
  SearchedKind: "FoundItem.kind",
  TokenType: "Token.type",
  AuthorizationStatus: "TokenExplanation.verdict",
  AuthorizationSource: "TokenExplanation.source",
  AuthorizationRule: "TokenExplanation.rule",
  AttemptKind: "AuthorizationAttempt.kind",
  TokenStatus: "Token.status",
  SessionStatus: "Session.status",
  CertificateUse: "InstalledCertificates.certificateType",
  HashAlgorithm: "InstalledCertificates.certificates.hashAlgorithm",
  ReservationStatus: "Reservation.status",
  ResetType: "ResetCommand.resetType",
  OperationalStatus: "ChangeAvailabilityCommand.operationalStatus",
  TriggeredMessage: "TriggerMessageCommand.requestedMessage",
  ExtendedTriggeredMessage: "ExtendedTriggerMessageCommand.requestedMessage",
  LocalListUpdate: "SendLocalListCommand.updateType",
  LocalListEntryStatus: "SendLocalListCommand.localAuthorizationList.idTagInfo.status",
  LogType: "GetLogCommand.logType",
  FrameKind: "LoggedMessage.kind",
  ParkingRestriction: "Evse.parkingRestrictions",
  ImageCategory: "Image.category",
  SecurityProfile: "NewCharger.securityProfile",
  ConnectorStandard: "ConnectorChange.standard",
  ConnectorFormat: "ConnectorChange.format",
  PowerType: "ConnectorChange.powerType",
  ParkingType: "Site.parkingType",
  Facility: "Site.facilities",
  Weekday: "OpeningHours.regularHours.weekday",
  PublicationGap: "SiteDetail.ocpi.missing",
  UnknownTokenRule: "Organisation.unknownTokens",
  ConcurrencyRule: "Organisation.concurrentTransactions",
  LocalListKeeping: "Organisation.localLists",
  ToleranceType: "ToleranceKind.type",
  OperatorAccessKind: "OperatorAccess.kind",
  OperatorState: "Operator.state",
  OperatorStateChange: "OperatorChange.state",
  SignInStrength: "SignIn.strength",
  PartnerModule: "partner-view.view.module"
}

export const descriptions: Descriptions = {
  enums,
  unions: { NewCommand: "Command", Event: "Event" },
  returned: {
    NewConfigurationTemplate: "ConfigurationTemplate",
    NewQuirk: "Quirk",
    NewQuirkBook: "QuirkBook",
    NewSite: "SiteDetail",
    NewTariff: "Tariff",
    SiteChange: "SiteDetail",
    TariffChange: "Tariff"
  },
  properties: {
    ...common,
    ...chargerStatusDescriptions,
    ...siteDescriptions,
    ...chargerDescriptions,
    ...sessionDescriptions,
    ...tariffDescriptions,
    ...commandDescriptions,
    ...partnerDescriptions,
    ...platformDescriptions,
    ...accountDescriptions,
    ...singleSignOnDescriptions,
    ...rolloutDescriptions
  },
  operations: { ...operations, ...accountOperations, ...singleSignOnOperations, ...rolloutOperations },
  tags: { ...tags, ...accountTags, ...singleSignOnTags, ...rolloutTags },
  bodies: { ...bodies, ...accountBodies, ...singleSignOnBodies, ...rolloutBodies },
  answers: {
    "cdrs.csv": csvHead,
    "cdrs.jsonLines": '{"id":"019a9f3e-5b1c-7c44-9d0e-0b6f3a1c2d04","number":1042}\n',
    "chargers.exportMessages":
      '{"id":"90211","direction":"in","kind":"CALL","action":"Heartbeat","frame":"[2,\\"m\\",\\"Heartbeat\\",{}]"}\n',
    "files.content": "the content of the file"
  },
  refusals,
  statuses
}
