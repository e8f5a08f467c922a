/** How many chargers of a rollout are in each state, in the form that REST and events use. */
import { Schema } from "effect"
import type { TargetCounts } from "./Rollout.ts"

export const rolloutCountFields = {
  waiting: Schema.Int,
  issued: Schema.Int,
  succeeded: Schema.Int,
  failed: Schema.Int,
  skipped: Schema.Int,
  unreached: Schema.Int
} as const

export type RolloutCounts = Schema.Struct<typeof rolloutCountFields>["Type"]

export const rolloutCountsOf = (counts: TargetCounts): RolloutCounts => ({
  waiting: counts.Waiting,
  issued: counts.Issued,
  succeeded: counts.Succeeded,
  failed: counts.Failed,
  skipped: counts.Skipped,
  unreached: counts.Unreached
})
