/**
 * The endpoints of commands over the domain's ports. A command's missing parts are filled in, the command is stored, and the charger's
 * actor is woken.
 */
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ChargerLink } from "../../../domain/charger/ChargerLink.ts"
import { Chargers } from "../../../domain/charger/Chargers.ts"
import type { ChargerCommand } from "../../../domain/command/ChargerCommand.ts"
import type { Command as DomainCommand } from "../../../domain/command/Command.ts"
import { CommandOpening } from "../../../domain/command/CommandOpening.ts"
import { Commands } from "../../../domain/command/Commands.ts"
import { passwordKey } from "../../../domain/command/Kinds.ts"
import { Retrying } from "../../../domain/operator/Idempotency.ts"
import { Api } from "../Api.ts"
import { askFactor, audit, organisationId } from "../requests/Caller.ts"
import { waitingForOthers } from "../requests/FairShare.ts"
import { listed, located, pageRequest, PublicUrl } from "../requests/Paging.ts"
import { type Command, NewCommand } from "./CommandsApi.ts"

/** A command on the wire. */
export const toCommand = (command: DomainCommand): typeof Command.Type => ({
  id: command.id,
  type: command.type,
  chargerId: command.chargerId,
  status: command.status,
  createdAt: command.createdAt,
  sentAt: command.sentAt ?? null,
  completedAt: command.completedAt ?? null,
  expiresAt: command.expiresAt ?? null,
  result: command.result ?? null,
  sessionId: command.sessionId ?? null,
  effect: command.effect ?? null,
  fileId: command.fileId ?? null,
  progress: command.progress ?? null,
  parameters: command.parameters,
  issuedBy: command.by
})

const encodeBody = Schema.encodeSync(NewCommand)

/** What a retry needs to know about an issued command: its id, and the password that was generated for it, which is stored nowhere else. */
const Issued = Schema.fromJsonString(Schema.Struct({ id: Schema.String, password: Schema.optional(Schema.String) }))
const writeIssued = Schema.encodeSync(Issued)
const readIssued = Schema.decodeUnknownSync(Issued)

/** With a password of a charger one can connect in its place. */
const setsPassword = (command: ChargerCommand): boolean =>
  command._tag === "ChangeConfiguration" && command.key.trim().toLowerCase() === passwordKey

export const layer = HttpApiBuilder.group(
  Api,
  "commands",
  Effect.fn(function* (handlers) {
    const chargers = yield* Chargers
    const commands = yield* Commands
    const link = yield* ChargerLink
    const publicUrl = yield* PublicUrl
    const opening = yield* CommandOpening
    /** The command in its current state, or after a wait. */
    const seen = (organisation: string, id: string, waitSeconds: number | undefined, issued?: DomainCommand) =>
      waitSeconds === undefined
        ? commands.get(organisation, id)
        : // The charger is waited for, and nothing is worked on.
          waitingForOthers(commands.wait(organisation, id, waitSeconds * 1000, issued))
    return handlers.handleAll({
      issue: Effect.fn("v2.commands.issue")(function* ({ params: { chargerId }, payload, query }) {
        const issue = Effect.fnUntraced(function* (sentBy: number | undefined) {
          const { password, ...opened } = yield* opening.open(yield* organisationId, chargerId, encodeBody(payload))
          if (setsPassword(opened.command)) yield* askFactor
          const issued = yield* commands.issue({ chargerId, ...opened, sentBy }, yield* audit)
          const { command } = opened
          return {
            id: issued.id,
            password,
            issued,
            sent: issued.status === "Sent" ? { id: issued.id, command } : undefined
          }
        })
        const { commit, reached } = yield* Retrying
        const storing = (sentBy: number | undefined) =>
          Effect.map(commit(issue(sentBy), writeIssued), (result) => ({ result, sent: result.sent }))
        const { id, issued, password } =
          reached === undefined
            ? yield* link.sending(yield* organisationId, chargerId, storing)
            : yield* Effect.as(link.wake(chargerId), { ...readIssued(reached), issued: undefined })
        const isAsked = issued === undefined || query.wait !== undefined
        const body = toCommand(isAsked ? yield* seen(yield* organisationId, id, query.wait, issued) : issued)
        return located(publicUrl, `/v2/commands/${id}`, password === undefined ? body : { ...body, password })
      }),
      listOfCharger: Effect.fn("v2.commands.listOfCharger")(function* ({ params: { chargerId }, query, request }) {
        const organisation = yield* organisationId
        yield* chargers.get(organisation, chargerId)
        const page = yield* commands.list(organisation, { ...pageRequest(query), chargerId, status: query.status })
        return yield* listed(publicUrl, request.url, page, toCommand)
      }),
      list: Effect.fn("v2.commands.list")(function* ({ query, request }) {
        const { chargerId, fileId, status } = query
        const page = yield* commands.list(yield* organisationId, { ...pageRequest(query), chargerId, fileId, status })
        return yield* listed(publicUrl, request.url, page, toCommand)
      }),
      get: Effect.fn("v2.commands.get")(function* ({ params, query }) {
        return toCommand(yield* seen(yield* organisationId, params.id, query.wait))
      })
    })
  })
)
