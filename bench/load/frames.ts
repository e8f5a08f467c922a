/**
 * The payloads that simulated chargers send (OCPP 1.6 §4) and their answers to the server's CALLs. They are written as
 * text: the generator shares the machine with what it measures and must be cheap.
 */

/** A charger of 11 kW takes 3 Wh a second. */
const WH_PER_SECOND = 3
/** The simulated clock starts this long ago, because it runs faster than real time and must not overtake it. */
const CLOCK_BEHIND_MS = 3_600_000

/**
 * The clock and the meter of one simulated charger. Each reading is a second and 3 Wh later than the one before,
 * however fast the load is. So no transaction looks impossible (an hour's energy within a millisecond).
 */
export class Meter {
  private at = Date.now() - CLOCK_BEHIND_MS
  wh = 1_000

  tick(): string {
    this.at = Math.min(this.at + 1000, Date.now())
    this.wh += WH_PER_SECOND
    return new Date(this.at).toISOString()
  }
}

export const boot = `{"chargePointVendor":"Bench","chargePointModel":"One","chargePointSerialNumber":"B-1","firmwareVersion":"1.0.0"}`

export const authorize = (idTag: string): string => `{"idTag":"${idTag}"}`

export const startTransaction = (meter: Meter, idTag: string): string => {
  const at = meter.tick()
  return `{"connectorId":1,"idTag":"${idTag}","meterStart":${meter.wh},"timestamp":"${at}"}`
}

export const stopTransaction = (meter: Meter, idTag: string, transactionId: number): string => {
  const at = meter.tick()
  return `{"transactionId":${transactionId},"idTag":"${idTag}","meterStop":${meter.wh},"timestamp":"${at}","reason":"Local"}`
}

/** Three sampled values: energy, power, current. Outside of a transaction `transactionId` is undefined. */
export const meterValues = (meter: Meter, transactionId: number | undefined): string => {
  const at = meter.tick()
  const transaction = transactionId === undefined ? "" : `"transactionId":${transactionId},`
  return (
    `{"connectorId":1,${transaction}"meterValue":[{"timestamp":"${at}","sampledValue":[` +
    `{"value":"${meter.wh}","context":"Sample.Periodic","measurand":"Energy.Active.Import.Register","unit":"Wh"},` +
    `{"value":"10800","context":"Sample.Periodic","measurand":"Power.Active.Import","unit":"W"},` +
    `{"value":"15.7","context":"Sample.Periodic","measurand":"Current.Import","unit":"A"}]}]}`
  )
}

const configuration = [
  ["HeartbeatInterval", "300", false],
  ["MeterValueSampleInterval", "60", false],
  ["MeterValuesSampledData", "Energy.Active.Import.Register,Power.Active.Import,Current.Import", false],
  ["NumberOfConnectors", "1", true],
  ["GetConfigurationMaxKeys", "50", true],
  ["SupportedFeatureProfiles", "Core", true],
  ["WebSocketPingInterval", "60", false]
].map(([key, value, readonly]) => `{"key":"${key}","readonly":${readonly},"value":"${value}"}`)

const answers = new Map<string, string>([
  ["GetConfiguration", `{"configurationKey":[${configuration.join(",")}],"unknownKey":[]}`],
  ["ChangeConfiguration", `{"status":"NotSupported"}`],
  ["TriggerMessage", `{"status":"NotImplemented"}`]
])

/** The frame by which a charger of the Core profile answers a CALL of the server: NotSupported for most actions. */
export const answerToServer = (frame: string): string => {
  const [, id, action]: [number, string, string] = JSON.parse(frame)
  const payload = answers.get(action)
  return payload === undefined ? `[4,"${id}","NotSupported","",{}]` : `[3,"${id}",${payload}]`
}
