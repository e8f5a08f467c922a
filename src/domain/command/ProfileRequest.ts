/** Charging profiles as partners set and read them (OCPI 2.2.1 §14). */
import type { ChargingSchedule } from "./ChargingProfile.ts"

/** A profile for the transaction of one session. Without `startSchedule` it counts from the session's start. */
export interface ProfileRequest {
  readonly schedule: ChargingSchedule
  readonly responseUrl: string
}

/** The schedule that a charger follows from `startAt` (ms epoch) on. */
export interface ActiveProfile {
  readonly startAt: number
  readonly schedule: ChargingSchedule
}

/** The immediate answer (OCPI 2.2.1 §14.4.3). */
export interface ProfileResponse {
  readonly result: "ACCEPTED" | "NOT_SUPPORTED" | "REJECTED" | "TOO_OFTEN" | "UNKNOWN_SESSION"
  /** The number of seconds within which the result is sent. */
  readonly timeoutSeconds: number
}

/** The maximum number of requests per session and minute: chargers write profiles to flash, and each takes seconds on a mobile network. */
export const profileRequestsPerMinute = 10

/** The stack level of partners' profiles (OCPP 1.6 §3.13.2): the lowest, so that an operator's own take precedence. */
export const profileStackLevel = 0
