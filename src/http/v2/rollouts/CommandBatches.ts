/** The endpoints of command batches over the domain's port. */
import { Clock, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { passwordKey } from "../../../domain/command/Kinds.ts"
import { InvalidInput } from "../../../domain/Errors.ts"
import { batchTypes, maxDays } from "../../../domain/rollout/Rollout.ts"
import { Rollouts } from "../../../domain/rollout/Rollouts.ts"
import { Api } from "../Api.ts"
import { NewCommand, type NewCommandBody } from "../commands/CommandsApi.ts"
import { openedBody, shownParameters } from "../commands/Opening.ts"
import { audit } from "../requests/Caller.ts"
import { located, PublicUrl } from "../requests/Paging.ts"
import { answering, defaultPerMinute, targetsOf, toBatch } from "./Answers.ts"

const encodeBody = Schema.encodeSync(NewCommand)

const refuse = (pointer: string, detail: string) => new InvalidInput({ pointer, detail })

/** Refuses commands that are only for one charger, and commands that no charger could be sent. */
const checked = (command: NewCommandBody, now: number): Effect.Effect<void, InvalidInput> => {
  const { type } = command
  if (!(batchTypes as ReadonlyArray<string>).includes(type)) {
    const instead =
      type === "UpdateFirmware" || type === "SignedUpdateFirmware"
        ? "Must not be a firmware command: use POST /cpo/v2/firmware-campaigns"
        : `Can be sent only to one charger at a time; batches support ${batchTypes.join(", ")}`
    return Effect.fail(refuse("/command/type", instead))
  }
  if (command.type === "ChangeConfiguration" && command.key.trim().toLowerCase() === passwordKey) {
    return Effect.fail(
      refuse(
        "/command/key",
        "Must not be AuthorizationKey: each charger has its own password; change it with single commands"
      )
    )
  }
  const open = openedBody(command, now)
  return open._tag === "Refused" ? Effect.fail(refuse(`/command${open.pointer}`, open.detail)) : Effect.void
}

export const layer = HttpApiBuilder.group(
  Api,
  "command-batches",
  Effect.fn(function* (handlers) {
    const rollouts = yield* Rollouts
    const publicUrl = yield* PublicUrl
    const { decide, get, list, targets } = yield* answering("CommandBatch", toBatch)
    return handlers.handleAll({
      create: Effect.fn("v2.command-batches.create")(function* ({ payload }) {
        const now = yield* Clock.currentTimeMillis
        const { command, expectedTargets, name, pauseAfterFailures, perMinute } = payload
        yield* checked(command, now)
        const body = encodeBody(command)
        const made = yield* rollouts.create(
          {
            kind: "CommandBatch",
            name: name ?? command.type,
            order: { type: command.type, body, parameters: shownParameters(body) },
            targets: yield* targetsOf(payload),
            expectedTargets,
            waves: [],
            plan: {
              perMinute: perMinute ?? defaultPerMinute,
              window: undefined,
              pauseAfterFailures,
              onlyConnected: false,
              expiresInSeconds: command.expiresIn,
              version: undefined
            },
            needsApproval: false,
            endsAt: now + maxDays * 86_400_000
          },
          yield* audit
        )
        return located(publicUrl, `/v2/command-batches/${made.id}`, toBatch(made))
      }),
      list: Effect.fn("v2.command-batches.list")(({ query, request }) => list(query, request.url)),
      get: Effect.fn("v2.command-batches.get")(({ params }) => get(params.id)),
      targets: Effect.fn("v2.command-batches.targets")(({ params, query, request }) =>
        targets(params.id, query, request.url)
      ),
      pause: Effect.fn("v2.command-batches.pause")(({ params }) => decide(params.id, "pause")),
      resume: Effect.fn("v2.command-batches.resume")(({ params }) => decide(params.id, "resume")),
      cancel: Effect.fn("v2.command-batches.cancel")(({ params }) => decide(params.id, "cancel"))
    })
  })
)
