/** What all connections of the OCPP server share, and the functions by which they report to it. */
import type { MessageLog } from "../../domain/charger/MessageLog.ts"
import type { Presence } from "../../domain/charger/Presence.ts"
import type { FrameRates } from "./FrameRate.ts"
import type { LargeFrames } from "./LargeFrames.ts"
import type { LongMessages } from "./LongMessages.ts"
import type { OcppLimits } from "./Limits.ts"
import type { LivenessRules } from "./Liveness.ts"
import type { Metrics } from "./Metrics.ts"

export interface SocketParts {
  readonly limits: OcppLimits
  readonly rates: FrameRates
  readonly largeFrames: LargeFrames
  readonly longMessages: LongMessages
  readonly rules: LivenessRules
  /** ms epoch. */
  readonly now: () => number
  /** The time of a monotonic clock, in ms. */
  readonly elapsed: () => number
  readonly presence: Presence["Service"]
  readonly messageLog: MessageLog["Service"]
  readonly metrics: Metrics
  /** Whether heartbeats and their answers go to the message log too. */
  readonly logHeartbeats: boolean
  /** Reports an exception that should never occur, with its context. */
  readonly defect: (cause: unknown, about: Readonly<Record<string, string>>) => void
}
