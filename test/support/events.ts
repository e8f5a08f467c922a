/** Messages of chargers as domain events, with defaults for everything that a test does not set. */
import type {
  Booted,
  ChargerTime,
  MeterValuesReported,
  StatusReported,
  TransactionEnded,
  TransactionStarted
} from "../../src/domain/charger/ChargerEvent.ts"
import type { ChargerState, KnownSession } from "../../src/domain/charger/ChargerState.ts"
import { energyRegister, type Reading, type Sample } from "../../src/domain/charger/MeterValue.ts"
import type { Token } from "../../src/domain/token/Token.ts"

export const organisationId = "0199aaaa-0000-7000-8000-000000000001"

/** `minute(5)` is 12:05 on a day in 2026, by the charger's clock and by ours. */
export const minute = (n: number): number => Date.UTC(2026, 4, 1, 12) + n * 60_000

/** A charger's time, with the text that a charger would send. */
export const at = (time: number): ChargerTime => ({ at: time, raw: new Date(time).toISOString() })

/** A clock that was never set but runs: so many seconds after the beginning of 1970. */
export const in1970 = (second: number): ChargerTime => at(second * 1000)

export const noTime: ChargerTime = { at: undefined, raw: undefined }

export const evse = (evseId: number) => ({ evseId, connectorId: evseId === 0 ? 0 : 1 })

export const started = (parts: Partial<TransactionStarted> = {}): TransactionStarted => ({
  _tag: "TransactionStarted",
  place: evse(1),
  tokenUid: "ANNA",
  time: at(minute(0)),
  meterStartWh: 1000,
  reservationId: undefined,
  ...parts
})

/** A stop with `transactionId`, or without one: chargers then send -1. */
export const ended = (transactionId: number | undefined, parts: Partial<TransactionEnded> = {}): TransactionEnded => ({
  _tag: "TransactionEnded",
  transactionId,
  rawTransactionId: String(transactionId ?? -1),
  tokenUid: "ANNA",
  time: at(minute(30)),
  meterStopWh: 6000,
  reason: "Local",
  readings: [],
  ...parts
})

export const energy = (wh: number | string, parts: Partial<Sample> = {}): Sample => ({
  value: String(wh),
  measurand: energyRegister,
  context: "Sample.Periodic",
  format: "Raw",
  location: "Outlet",
  unit: "Wh",
  ...parts
})

export const reading = (time: ChargerTime, ...samples: ReadonlyArray<Sample>): Reading => ({
  at: time.at,
  rawAt: time.raw,
  samples
})

export const metered = (
  transactionId: number | undefined,
  readings: ReadonlyArray<Reading>,
  parts: Partial<MeterValuesReported> = {}
): MeterValuesReported => ({ _tag: "MeterValuesReported", place: evse(1), transactionId, readings, ...parts })

export const status = (parts: Partial<StatusReported> = {}): StatusReported => {
  const word = parts.status ?? "Available"
  return {
    _tag: "StatusReported",
    place: evse(1),
    status: word,
    rawStatus: word,
    errorCode: "NoError",
    info: undefined,
    vendorId: undefined,
    vendorErrorCode: undefined,
    time: at(minute(0)),
    ...parts
  }
}

export const boot = (parts: Partial<Booted> = {}): Booted => ({
  _tag: "Booted",
  vendor: "Voltbau",
  model: "Säule 2",
  serialNumber: undefined,
  firmwareVersion: "1.2.3",
  iccid: undefined,
  imsi: undefined,
  meterType: undefined,
  meterSerialNumber: undefined,
  ...parts
})

export const token = (uid: string, parts: Partial<Token> = {}): Token => ({
  uid,
  organisationId,
  type: "RFID",
  status: "Accepted",
  parentUid: undefined,
  expiresAt: undefined,
  visualNumber: undefined,
  note: undefined,
  createdAt: minute(-1000),
  updatedAt: minute(-1000),
  ...parts
})

/** A charger that booted long ago and has reported everything. */
export const state = (parts: Partial<ChargerState> = {}): ChargerState => ({
  chargerId: "CP-1",
  organisationId,
  epoch: 7,
  connectedAt: minute(-120),
  policy: { unknownTokens: "Refuse", concurrentTransactions: "Refuse", heartbeatIntervalSeconds: 300 },
  registration: "Accepted",
  booted: true,
  vendor: "Voltbau",
  model: "Säule 2",
  firmwareVersion: "1.2.3",
  configured: true,
  connectors: [
    { ...evse(1), status: "Available", errorCode: "NoError", at: minute(-60), heardAt: minute(-60), byOwnClock: true }
  ],
  sessions: [],
  orphans: [],
  ...parts
})

export const session = (parts: Partial<KnownSession> = {}): KnownSession => ({
  sessionId: "session-1",
  transactionId: 4711,
  place: evse(1),
  tokenUid: "ANNA",
  startedAt: parts.startedAt ?? minute(0),
  heardAt: parts.startedAt ?? minute(0),
  meterStartWh: 1000,
  authorization: "Accepted",
  status: "Open",
  registerWh: undefined,
  registerAt: undefined,
  ...parts
})
