/** The schedule that a charger says it follows (OCPP 1.6 §6.22), as far as it can be compared with ours. */
import type { AnswerContent } from "../../domain/command/ChargerCommand.ts"
import type { ChargingSchedule, ChargingSchedulePeriod } from "../../domain/command/ChargingProfile.ts"
import { take } from "./Command.ts"
import { connectorNumber, integer, list, nested, number, time, word } from "./Kinds.ts"
import { message, optional, type PayloadObject, type ReadOf } from "./Lenient.ts"
import { placeOf } from "./place.ts"
import { readTime } from "./Time.ts"

const period = message({ startPeriod: integer, limit: number, numberPhases: optional(integer) })

const chargingSchedule = message({
  duration: optional(integer),
  startSchedule: optional(time),
  chargingRateUnit: word(["A", "W"]),
  chargingSchedulePeriod: list(period),
  minChargingRate: optional(number)
})

const answer = message({
  connectorId: optional(connectorNumber),
  scheduleStart: optional(time),
  chargingSchedule: optional(nested(chargingSchedule))
})

const readPeriod = ({ limit, numberPhases, startPeriod }: ReadOf<typeof period>): ChargingSchedulePeriod | undefined =>
  startPeriod === undefined || limit === undefined
    ? undefined
    : { startPeriod, limit, ...(numberPhases === undefined ? {} : { numberPhases }) }

const readUnit = (unit: string | undefined): "A" | "W" | undefined => {
  const said = unit?.trim().toUpperCase()
  return said === "A" || said === "W" ? said : undefined
}

/** A schedule with a period or a unit that cannot be read is none: what is left of it would say something else. */
const readSchedule = (said: ReadOf<typeof chargingSchedule>): ChargingSchedule | undefined => {
  const chargingRateUnit = readUnit(said.chargingRateUnit)
  const periods = said.chargingSchedulePeriod?.map(readPeriod) ?? []
  const readable = periods.filter((one) => one !== undefined)
  if (chargingRateUnit === undefined || readable.length === 0 || readable.length < periods.length) return undefined
  const startSchedule = readTime(said.startSchedule).at
  return {
    chargingRateUnit,
    periods: readable,
    ...(said.duration === undefined ? {} : { duration: said.duration }),
    ...(startSchedule === undefined ? {} : { startSchedule }),
    ...(said.minChargingRate === undefined ? {} : { minChargingRate: said.minChargingRate })
  }
}

/** All of it is optional, also where the charger says Accepted. */
export const readCompositeSchedule = (payload: PayloadObject): AnswerContent => {
  const { chargingSchedule: schedule, connectorId, scheduleStart } = take(answer, payload)
  return {
    _tag: "CompositeSchedule",
    evseId: connectorId === undefined ? undefined : placeOf(connectorId).evseId,
    startAt: readTime(scheduleStart).at,
    schedule: schedule === undefined ? undefined : readSchedule(schedule)
  }
}
