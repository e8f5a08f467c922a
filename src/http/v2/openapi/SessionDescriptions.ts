/** Descriptions of sessions, what is billed for them, and the tokens that start them. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

const held =
  "Why the session is held, so that it is not billed until an operator releases or corrects it, such as EnergyImplausible; null if it is not held"

export const sessionDescriptions: Descriptions["properties"] = {
  "Session.id": ["The session's id", ids.session],
  "SessionWithMeterValues.id": ["The session's id", ids.session],
  "Session.siteId": ["The site that the charger belonged to when the session began", ids.site],
  "SessionWithMeterValues.siteId": ["The site that the charger belonged to when the session began", ids.site],
  tokenUid: ["The token's uid as the charger sent it", "04A1B2C3D4E5F6"],
  authorization: ["The decision on whether the token may charge; null in records from the first versions"],
  "authorization.status": ["The answer to the charger, in OCPP's terms", "Accepted"],
  "authorization.source": [
    "What the decision was based on: Reservation, LocalToken, RoamingToken, UnknownTokenRule, or None",
    "LocalToken"
  ],
  decidedAt: ["When the decision was made"],
  preferences: [
    "The charging preferences of the partner's driver, as far as they were accepted; null if there are none"
  ],
  profileType: ["OCPI's ProfileType: what matters most to the driver", "CHEAP"],
  departureAt: ["When the driver wants to leave; null if not given"],
  energyNeedWh: ["Wh that the driver needs; null if not given", 30000],
  dischargeAllowed: ["Whether the vehicle may be discharged; null if not given"],
  "Session.endedAt": ["When it ended; null while it runs", "2026-11-20T09:45:00.000Z"],
  "SessionWithMeterValues.endedAt": ["When it ended; null while it runs", "2026-11-20T09:45:00.000Z"],
  energyWh: ["Wh delivered; while the session runs, Wh so far", 24500],
  meterStartWh: ["The energy register at the start, in Wh", 1204300],
  meterStopWh: ["The energy register at the end, in Wh; null if unknown", 1228800],
  stopReason: [
    "OCPP's Reason, such as EVDisconnected; null while the session runs, or if none was given",
    "EVDisconnected"
  ],
  heldReason: [held, null],
  revision: ["How often it was corrected", 0],
  "Session.status": ["OCPI's SessionStatus", "COMPLETED"],
  "SessionWithMeterValues.status": ["OCPI's SessionStatus", "COMPLETED"],
  charging: ["False: the vehicle parked without requesting power", true],
  roaming: ["The contract with a roaming partner; null for one of your own cards", null],
  cost: ["The price so far, or the total once the session has ended; null if no tariff was assigned when it began"],
  periods: ["Periods in which nothing changed that affects the price"],
  meterValues: ["The first readings, if requested with `include=meterValues`"],
  "SessionCorrection.energyWh": ["Wh to bill", 24500],
  "SessionCorrection.startedAt": ["The corrected start"],
  "SessionCorrection.endedAt": ["The corrected end"],
  "SessionCorrection.reason": ["The reason, for later readers of the record", "Meter exchanged during the session"],
  "sessions.correctionPreview.query.energyWh": ["Wh to bill; default: unchanged", 24500],
  "sessions.correctionPreview.query.startedAt": ["The corrected start; default: unchanged"],
  "sessions.correctionPreview.query.endedAt": ["The corrected end; default: unchanged"],
  "CorrectionPreview.energyWh": ["Wh that would be billed", 24500],
  "CorrectionPreview.startedAt": ["The start that would be billed"],
  "CorrectionPreview.endedAt": ["The end that would be billed"],
  "CorrectionPreview.credits": ["Records that would be cancelled, each with its credit; empty if none is in force"],
  "CorrectionPreview.bill": ["The new record; null if no tariff was assigned when the session began"],
  "CorrectionPreview.change": [
    "The change of the billed amount: the sum of the credits and the new record; null if there is neither"
  ],
  "CreditToBe.recordId": ["The record that would be cancelled", ids.cdr],
  "CreditToBe.number": ["Its number", 1042],
  "CreditToBe.price": ["The credit line by line, with its amounts negated"],
  receivedAt: ["When the service received it"],
  rawAt: ["The charger's timestamp if it could not be read; null if it could", null],
  "MeterValue.energyWh": ["The energy register in Wh, derived from the samples; null if they have none", 1210250],
  samples: ["The sampled values as the charger sent them"],
  "SampledValue.value": ["As the charger sent it: a number as text, or signed data", "1210.25"],
  measurand: ["OCPP's Measurand", "Energy.Active.Import.Register"],
  context: ["OCPP's ReadingContext", "Sample.Periodic"],
  "SampledValue.format": ["`Raw`, or `SignedData` for a value that the meter signed", "Raw"],
  "SampledValue.location": ["OCPP's Location: where it was measured", "Outlet"],
  unit: ["OCPP's UnitOfMeasure", "kWh"],
  phase: ["OCPP's Phase; null for a value of all phases", null],

  // Priced periods.
  "PricedPeriod.startedAt": ["When the period began", "2026-11-20T08:30:00.000Z"],
  "PricedPeriod.endedAt": ["When the period ended", "2026-11-20T09:45:00.000Z"],
  "PricedPeriod.energyWh": ["Wh delivered in this period", 24500],
  evidence: ["The evidence for charging or parking, the strongest first", ["Status", "Power"]],
  reserved: ["True for time in which the connector was reserved before the session; missing otherwise"],
  minPowerW: ["Watts; the lowest power against which the tariff was tested. Only if the tariff depends on power", 7360],
  "PricedPeriod.maxPowerW": [
    "Watts; the highest value measured in the period. If the tariff depends on power: the highest against which it was tested, derived or measured",
    11040
  ],
  minCurrentA: [
    "Amperes; the lowest sum over all phases against which the tariff was tested. Only if the tariff depends on current",
    32
  ],
  maxCurrentA: [
    "Amperes; the highest sum over all phases. If the tariff depends on current: the highest against which it was tested",
    48
  ],
  stateOfCharge: ["Percent of the vehicle's battery; the last one reported", 64],
  "PricedPeriod.elements": [
    "For each dimension, the index of the tariff element that prices it, from 0; a missing dimension is free",
    { ENERGY: 0 }
  ],

  // Records.
  "Cdr.id": ["The record's id", ids.cdr],
  number: ["Number of the record within the organisation, from 1 without gaps", 1042],
  tokenType: ["OCPI's TokenType; null for a token that was not registered", "RFID"],
  "Cdr.siteId": ["The site that the charger belonged to when the session began", ids.site],
  "Cdr.location": ["Where the session took place; null in records from the first versions"],
  siteName: ["The site's name at that time; null if unknown", "Utrecht Centraal P1"],
  "CdrLocation.chargerName": ["The charger's name at that time; null if unknown", "P1 left"],
  totalCost: ["The total amount"],
  totalFixedCost: ["The part for flat fees, charged once for the session"],
  totalEnergyCost: ["The part for energy"],
  totalTimeCost: ["The part for time in which the vehicle charged"],
  totalParkingCost: ["The part for time in which the vehicle only parked"],
  totalReservationCost: ["The part for reserving the connector before the session"],
  vatShares: ["The total by VAT rate, lowest first; the shares add up to it exactly"],
  rate: ["Percent; null where no VAT applies, and if `isMixed`", 21],
  isMixed: ["True for what price limits or rounding add to amounts of several rates", false],
  "VatShare.exclVat": ["Without VAT; negative in a credit record", 11.03],
  "VatShare.inclVat": ["With VAT; negative in a credit record", 13.35],
  "VatShare.vat": ["The VAT: `inclVat` minus `exclVat`", 2.32],
  totalEnergyKwh: ["kWh, as measured", 24.5],
  totalTimeHours: ["Hours in total, as measured", 1.25],
  totalParkingTimeHours: ["Hours without energy, as measured", 0.25],
  signedData: ["The signed meter values; null if the meter does not sign"],
  encodingMethod: ["OCPI's name for the format, such as OCMF; null if unknown", "OCMF"],
  publicKey: ["The meter's public key; null if the charger sent none", null],
  signedValues: ["The signed values in order of time"],
  nature: ["The moment of the session at which it was taken"],
  plainData: ["The signed content in plain text; null if it cannot be read", null],
  "signedValues.signedData": ["The signed data, byte for byte", 'OCMF|{"FV":"1.0"}|{"SD":"304502…"}'],
  "Cdr.tariff": ["The tariff as it was when the session began"],
  "CdrTariff.id": ["The tariff's id", ids.tariff],
  credit: ["True: a credit record, which cancels another record"],
  creditReferenceId: ["The record that this credit record cancels; null for an ordinary record", null],
  issuedAt: ["When the record was issued"],
  contractId: [
    "The driver's contract with the partner, as shown on the bill (OCPI's contract_id)",
    "NL-EMS-C12345678-X"
  ],
  authorizationReference: ["The partner's own reference for its authorisation; null if it gave none", null],

  // Tokens.
  uid: ["The RFID or idTag; case does not matter", "04A1B2C3D4E5F6"],
  "Token.type": ["OCPI's TokenType"],
  "TokenChange.type": ["OCPI's TokenType"],
  "Token.status": ["Blocked and Expired tokens start no sessions"],
  "TokenChange.status": ["Blocked and Expired tokens start no sessions"],
  parentUid: ["The group this token belongs to (OCPP's parentIdTag); null for none", "FLEET-12"],
  expiresAt: ["When it expires; null for never", "2027-12-31T23:00:00.000Z"],
  visualNumber: ["The number printed on the card; null if there is none", "NL-VLT-001234-5"],
  note: ["A note for operators; null if there is none", "Van 12"],
  issuer: ["The card's issuer, as printed on the card", "Example Mobility"],
  "TokenConflict.tokens": ["The token of each partner; all partners but one must withdraw theirs"],
  whitelist: ["OCPI's WhitelistType, as the partner sent it", "ALLOWED"],

  // Why a card may or may not charge.
  verdict: ["The answer that a charger would get now, in OCPP's terms"],
  allowed: ["Whether the card may charge", true],
  "TokenExplanation.source": ["What the decision is based on"],
  "TokenExplanation.rule": ["The rule that decides", "own_token"],
  "TokenExplanation.explanation": [
    "The reason and what can be done, as human-readable text",
    "The card is one of yours and may charge."
  ],
  "TokenExplanation.token": ["The card that the decision is about; null if it is unknown"],
  "TokenExplanation.charger": ["The charger; null if the request named none"],
  "TokenExplanation.checks": ["The checks behind the decision, in order"],
  "TokenExplanation.attempts": [
    "The card's last attempts, newest first, at most 20; refusals within one minute count as one"
  ],
  "ExplainedCard.partnerId": ["The partner that issued the card; null for one of your own cards", null],
  "ExplainedCard.partnerName": ["The partner's name; null for one of your own cards", null],
  "ExplainedCard.type": ["OCPI's TokenType", "RFID"],
  "ExplainedCard.status": ["The status of one of your own cards; null for a partner's card", "Accepted"],
  "ExplainedCard.valid": ["Whether the partner lets the card charge; null for one of your own cards", null],
  "ExplainedCard.contractId": ["The driver's contract with the partner; null for one of your own cards", null],
  "ExplainedCard.whitelist": ["OCPI's WhitelistType; null for one of your own cards", null],
  "ExplainedCharger.name": ["The charger's name", "P1 left"],
  "ExplainedCharger.connected": ["Whether a connection is open now"],
  localListState: ["The state of the list that the charger uses while it is offline"],
  localListInStep: ["Whether that list has all changes of your tokens", true],
  "AuthorizationCheck.rule": ["The subject of the check", "status"],
  passed: ["Whether the result is in favour of the card", true],
  "AuthorizationCheck.detail": ["The result", "Its status is Accepted"],
  "AuthorizationAttempt.at": ["When the service received it"],
  "AuthorizationAttempt.kind": ["Whether the charger asked before a session, or reported a session's start"],
  "AuthorizationAttempt.answer": ["The answer to the charger"],
  "AuthorizationAttempt.source": ["What the decision was based on"],
  "ListedAuthorization.id": ["Position in the log, rising with time", "48213"],
  "ListedAuthorization.at": ["When the service received it"],
  "ListedAuthorization.kind": ["Whether the charger asked before a session, or reported a session's start"],
  "ListedAuthorization.answer": ["The answer to the charger"],
  "ListedAuthorization.source": ["What the decision was based on"],
  "tokens.explanation.query.chargerId": ["The charger; default: any charger", "CP-7"],

  // Reservations.
  idTag: ["The driver's token as OCPP 1.6 sends it, at most 20 characters", "04A1B2C3D4E5F6"],
  parentIdTag: ["The group whose tokens may also use it; null for none", null],
  expiryDate: ["Until when the connector is reserved", "2026-11-20T09:00:00Z"],
  "Reservation.connectorId": ["OCPP's connectorId; 0: any connector of the charger", 1],
  "Reservation.sessionId": [
    "The session that used it, or the reservation's own session if the tariff charges for reservations; null for none",
    null
  ],
  "Reservation.reason": ["The charger's status for its refusal, or an error code; null if it was accepted", null]
}
