/** The endpoints of firmware campaigns over the domain's ports. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Conflict, InvalidInput } from "../../../domain/Errors.ts"
import { Files } from "../../../domain/file/Files.ts"
import { defaultDays, type DailyWindow, waveOf, type WaveSize } from "../../../domain/rollout/Rollout.ts"
import { type Rollout, type RolloutOrder, Rollouts } from "../../../domain/rollout/Rollouts.ts"
import { Api } from "../Api.ts"
import { shownParameters } from "../commands/Opening.ts"
import { audit, organisationId } from "../requests/Caller.ts"
import { located, PublicUrl } from "../requests/Paging.ts"
import { answering, defaultPerMinute, targetsOf, toBatch } from "./Answers.ts"
import type { NewFirmwareCampaignBody } from "./FirmwareCampaignsApi.ts"
import type { FirmwareCampaign } from "./RolloutSchema.ts"

/** Without a limit of its own a campaign pauses when three chargers have failed: an update that breaks three will break more. */
const defaultPauseAfterFailures = 3

const clockOf = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`

const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))

const toCampaign = (rollout: Rollout): typeof FirmwareCampaign.Type => {
  const { version, waves, window } = rollout.plan
  return {
    ...toBatch(rollout),
    version: version ?? null,
    waves,
    wave: waveOf(rollout.plan, rollout.counts),
    window: window === undefined ? null : { from: clockOf(window.fromMinute), to: clockOf(window.toMinute) },
    approvedBy: rollout.approvedBy ?? null,
    approvedAt: rollout.approvedAt ?? null
  }
}

const windowOf = (given: NewFirmwareCampaignBody["window"]): Effect.Effect<DailyWindow | undefined, InvalidInput> => {
  if (given === undefined) return Effect.undefined
  const window = { fromMinute: minuteOf(given.from), toMinute: minuteOf(given.to) }
  return window.fromMinute === window.toMinute
    ? Effect.fail(new InvalidInput({ pointer: "/window/to", detail: "Must differ from `from`" }))
    : Effect.succeed(window)
}

const sizeOf = (wave: number | string): WaveSize =>
  typeof wave === "number" ? { chargers: wave } : { percent: Number(wave.slice(0, -1)) }

/** The command without its time, which is set when each charger's turn comes. */
const orderOf = (given: NewFirmwareCampaignBody): Effect.Effect<RolloutOrder, InvalidInput> => {
  const { fileId, location, retries, retryInterval, signature, signingCertificate } = given
  if ((fileId === undefined) === (location === undefined)) {
    const detail = "Is required, or location instead (a URL that chargers can reach)"
    return Effect.fail(new InvalidInput({ pointer: "/fileId", detail }))
  }
  if ((signature === undefined) !== (signingCertificate === undefined)) {
    const pointer = signature === undefined ? "/signature" : "/signingCertificate"
    return Effect.fail(new InvalidInput({ pointer, detail: "Is required: signed firmware needs both" }))
  }
  const shared = {
    ...(fileId === undefined ? {} : { fileId }),
    ...(retries === undefined ? {} : { retries }),
    ...(retryInterval === undefined ? {} : { retryInterval })
  }
  const from = location === undefined ? {} : { location }
  const body =
    signature === undefined
      ? { type: "UpdateFirmware" as const, ...shared, ...from }
      : { type: "SignedUpdateFirmware" as const, ...shared, firmware: { ...from, signature, signingCertificate } }
  return Effect.succeed({ type: body.type, body, parameters: shownParameters(body) })
}

const checkImage = Effect.fnUntraced(function* (fileId: string | undefined) {
  if (fileId === undefined) return
  const files = yield* Files
  const { kind, state } = yield* files.get(yield* organisationId, fileId)
  if (kind !== "Firmware" || state !== "Stored") {
    return yield* new Conflict({
      code: "no_firmware",
      message: "This file is not a firmware image from POST /cpo/v2/files."
    })
  }
})

export const layer = HttpApiBuilder.group(
  Api,
  "firmware-campaigns",
  Effect.fn(function* (handlers) {
    const rollouts = yield* Rollouts
    const files = yield* Files
    const publicUrl = yield* PublicUrl
    const { decide, get, list, targets } = yield* answering("FirmwareCampaign", toCampaign)
    return handlers.handleAll({
      create: Effect.fn("v2.firmware-campaigns.create")(function* ({ payload }) {
        const now = yield* Clock.currentTimeMillis
        const { days, expectedTargets, name, needsApproval, pauseAfterFailures, perMinute, version, waves } = payload
        const order = yield* orderOf(payload)
        yield* Effect.provideService(checkImage(payload.fileId), Files, files)
        const made = yield* rollouts.create(
          {
            kind: "FirmwareCampaign",
            name,
            order,
            targets: yield* targetsOf(payload),
            expectedTargets,
            waves: (waves ?? []).map(sizeOf),
            plan: {
              perMinute: perMinute ?? defaultPerMinute,
              window: yield* windowOf(payload.window),
              pauseAfterFailures: pauseAfterFailures ?? defaultPauseAfterFailures,
              onlyConnected: true,
              expiresInSeconds: undefined,
              version
            },
            needsApproval: needsApproval === true,
            endsAt: now + (days ?? defaultDays) * 86_400_000
          },
          yield* audit
        )
        return located(publicUrl, `/v2/firmware-campaigns/${made.id}`, toCampaign(made))
      }),
      list: Effect.fn("v2.firmware-campaigns.list")(({ query, request }) => list(query, request.url)),
      get: Effect.fn("v2.firmware-campaigns.get")(({ params }) => get(params.id)),
      targets: Effect.fn("v2.firmware-campaigns.targets")(({ params, query, request }) =>
        targets(params.id, query, request.url)
      ),
      approve: Effect.fn("v2.firmware-campaigns.approve")(({ params }) => decide(params.id, "approve")),
      pause: Effect.fn("v2.firmware-campaigns.pause")(({ params }) => decide(params.id, "pause")),
      resume: Effect.fn("v2.firmware-campaigns.resume")(({ params }) => decide(params.id, "resume")),
      cancel: Effect.fn("v2.firmware-campaigns.cancel")(({ params }) => decide(params.id, "cancel"))
    })
  })
)
