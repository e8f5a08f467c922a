/**
 * Events from facts that the service itself notes: whether partners answer, what could not be delivered, the progress of rollouts, and how much work
 * waits for operators.
 */
import { Schema } from "effect"
import { eventData } from "./Event.ts"
import { rolloutCountsOf } from "../rollout/Counts.ts"
import { rolloutKinds } from "../rollout/Rollout.ts"
import { type EventTranslation, translation } from "./NewEvent.ts"
import { deliveredKinds } from "./Subscription.ts"

/** The id in a subject such as `partner:<id>`. */
const idOf = (subject: string): string => subject.slice(subject.indexOf(":") + 1)

const health = translation(
  Schema.Struct({ name: Schema.String, isDown: Schema.Boolean, problem: Schema.NullOr(Schema.String) }),
  ({ isDown, name, problem }, { subject }) => [
    {
      type: "partner.health",
      subject,
      data: { partnerId: idOf(subject), name, state: isDown ? "Down" : "Answers", problem }
    }
  ]
)

const parked = translation(
  Schema.Struct({
    subscriber: Schema.Literals(["partner", "webhook"]),
    itemId: Schema.String,
    kind: Schema.Literals(deliveredKinds),
    objectId: Schema.String,
    problem: Schema.String
  }),
  ({ itemId, kind, objectId, problem, subscriber }, { subject }) => [
    {
      type: "delivery.parked",
      subject,
      data: {
        partnerId: subscriber === "partner" ? idOf(subject) : null,
        webhookId: subscriber === "webhook" ? idOf(subject) : null,
        deliveryId: itemId,
        kind,
        objectId,
        problem
      }
    }
  ]
)

const work = translation(eventData["work.changed"], (data, { subject }) => [{ type: "work.changed", subject, data }])

const rollout = translation(
  Schema.Struct({
    kind: Schema.Literals(rolloutKinds),
    counts: Schema.Struct({
      Waiting: Schema.Int,
      Issued: Schema.Int,
      Succeeded: Schema.Int,
      Failed: Schema.Int,
      Skipped: Schema.Int,
      Unreached: Schema.Int
    })
  }),
  ({ counts, kind }, { subject }) => [
    {
      type: "rollout.progress",
      subject,
      data: {
        rolloutId: idOf(subject),
        kind,
        ...rolloutCountsOf(counts)
      }
    }
  ]
)

export const serviceTranslations: Readonly<Record<string, EventTranslation>> = {
  PartnerHealthChanged: health,
  DeliveryParked: parked,
  WorkChanged: work,
  RolloutProgressed: rollout
}
