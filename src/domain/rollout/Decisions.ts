/** The decisions that operators make about a rollout, and when each is allowed. */
import { Conflict } from "../Errors.ts"
import { isOver, type PauseReason, type RolloutState } from "./Rollout.ts"

export const rolloutDecisions = ["approve", "pause", "resume", "cancel"] as const
export type RolloutDecision = (typeof rolloutDecisions)[number]

export interface DecidedRollout {
  readonly state: RolloutState
  readonly pauseReason: PauseReason | undefined
  /** The operator who created it, or the actor of a key without an operator. */
  readonly createdByPerson: string
}

/** The new state, and whether the failures so far are accepted. Undefined is used where nothing changes. */
export interface RolloutChange {
  readonly state: RolloutState
  readonly pauseReason: PauseReason | undefined
  readonly acceptsFailures: boolean
}

const conflict = (code: string, message: string) => new Conflict({ code, message })

/** The change that a decision makes. A decision that was made before changes nothing, so that a repeated request is answered like the first. */
export const afterDecision = (
  rollout: DecidedRollout,
  decision: RolloutDecision,
  person: string
): RolloutChange | undefined | Conflict => {
  const { createdByPerson, state } = rollout
  const running = { state: "Running", pauseReason: undefined, acceptsFailures: false } as const
  if (decision === "cancel" && state === "Cancelled") return undefined
  if (isOver(state)) return conflict("rollout_over", `This is ${state.toLowerCase()}: create a new one.`)
  switch (decision) {
    case "cancel":
      return { state: "Cancelled", pauseReason: undefined, acceptsFailures: false }
    case "approve":
      if (state !== "AwaitingApproval") return undefined
      return person === createdByPerson
        ? conflict("second_person_needed", "It must be approved by a person other than the one who made it.")
        : running
    case "pause":
      if (state === "AwaitingApproval") return conflict("not_approved", "It has not begun: it is waiting for approval.")
      return state === "Paused" ? undefined : { state: "Paused", pauseReason: "Operator", acceptsFailures: false }
    case "resume":
      if (state === "AwaitingApproval")
        return conflict("not_approved", "It is waiting for the approval of another person.")
      return state === "Running" ? undefined : { ...running, acceptsFailures: true }
  }
}
