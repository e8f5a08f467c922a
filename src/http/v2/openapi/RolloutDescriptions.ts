/** Descriptions and examples of rollouts: command batches and firmware campaigns. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

const operator = `operator:${ids.key}`

/** Properties that both kinds have. */
const shown = (kind: "CommandBatch" | "FirmwareCampaign"): Descriptions["properties"] => ({
  [`${kind}.name`]: ["What people call it", kind === "CommandBatch" ? "Restart after the outage" : "Satellite to 6.6"],
  [`${kind}.state`]: ["How far it is; Completed and Cancelled are final", "Running"],
  [`${kind}.pauseReason`]: ["Why it is paused; null while it is not", null],
  [`${kind}.type`]: ["What each charger is asked to do", kind === "CommandBatch" ? "Reset" : "UpdateFirmware"],
  [`${kind}.parameters`]: [
    "Of the command, as they were given, secrets masked",
    kind === "CommandBatch" ? { resetType: "Soft" } : { fileId: ids.file }
  ],
  [`${kind}.targets`]: ["How many chargers it is for", 40],
  [`${kind}.counts`]: ["How many of them are in which state"],
  [`${kind}.perMinute`]: ["Chargers that are commanded in a minute at most", 30],
  [`${kind}.pauseAfterFailures`]: ["It pauses when so many chargers have failed; null: never", 3],
  [`${kind}.createdBy`]: ["Who made it, as in `operator:<id>` or `key:<id>`", operator],
  [`${kind}.lastIssuedAt`]: ["When a charger was commanded last; null before the first"],
  [`${kind}.endsAt`]: ["When it ends, reached or not", "2026-12-20T08:30:00.000Z"],
  [`${kind}.endedAt`]: ["When it ended; null while it goes on", null]
})

export const rolloutDescriptions: Descriptions["properties"] = {
  ...shown("CommandBatch"),
  ...shown("FirmwareCampaign"),
  "FirmwareCampaign.version": ["What chargers report when they run it; null where it was not given", "6.6"],
  "FirmwareCampaign.waves": ["How many chargers are updated up to the end of each wave", [1, 4, 40]],
  "FirmwareCampaign.wave": ["The wave that it is in, from 1", 2],
  "FirmwareCampaign.window": ["Hours in which chargers are updated, in the local time of each site; null: at any time"],
  "RolloutWindow.from": ["When it opens", "22:00"],
  "RolloutWindow.to": ["When it closes; before `from`: on the next day", "05:00"],
  "NewFirmwareCampaign.window.from": ["When it opens, 00:00 to 24:00", "22:00"],
  "NewFirmwareCampaign.window.to": ["When it closes; before `from`: on the next day", "05:00"],
  "FirmwareCampaign.approvedBy": ["Who approved it; null where it needed none, or has none yet", null],
  "FirmwareCampaign.approvedAt": ["When it was approved; null where it was not", null],
  "RolloutCounts.waiting": ["Their turn has not come", 35],
  "RolloutCounts.issued": ["They have their command, and no outcome yet", 1],
  "RolloutCounts.succeeded": ["They did it", 3],
  "RolloutCounts.failed": ["They refused, did not answer, or failed", 0],
  "RolloutCounts.skipped": ["They needed nothing: they ran the version already", 1],
  "RolloutCounts.unreached": ["It was over before their turn came", 0],
  "RolloutTarget.state": ["How far this charger is", "Succeeded"],
  "RolloutTarget.detail": ["What failed, in a word of the charger or the service; null for nothing", null],
  "RolloutTarget.commandId": ["The charger's command; null before it was issued", ids.command],
  "RolloutTarget.issuedAt": ["When the charger was commanded; null before"],
  "RolloutTarget.endedAt": ["When its outcome was known; null before", null],
  "NewCommandBatch.command": [
    "As `POST /v2/chargers/{chargerId}/commands` takes it, of the types that make sense for many",
    { type: "Reset", resetType: "Soft" }
  ],
  "NewCommandBatch.filter": ["Chargers that fit all of this; instead of `chargerIds`"],
  "NewFirmwareCampaign.filter": ["Chargers that fit all of this; instead of `chargerIds`"],
  "RolloutFilter.state": ["In one of these states", ["Available"]],
  "RolloutFilter.connected": ["Those that are connected, or all others", true],
  "command-batches.list.query.state": ["In this state alone", "Running"],
  "firmware-campaigns.list.query.state": ["In this state alone", "Running"],
  "command-batches.targets.query.state": ["Chargers in this state alone", "Failed"],
  "firmware-campaigns.targets.query.state": ["Chargers in this state alone", "Failed"],
  "rollout.changed.data.rolloutId": ["The `id` of the command batch or firmware campaign", ids.other],
  "rollout.progress.data.rolloutId": ["The `id` of the command batch or firmware campaign", ids.other],
  "rollout.progress.data.kind": ["What it is", "FirmwareCampaign"],
  "rollout.progress.data.waiting": ["Their turn has not come", 35],
  "rollout.progress.data.issued": ["They have their command, and no outcome yet", 1],
  "rollout.progress.data.succeeded": ["They did it", 3],
  "rollout.progress.data.failed": ["They refused, did not answer, or failed", 0],
  "rollout.progress.data.skipped": ["They needed nothing: they ran the version already", 1],
  "rollout.progress.data.unreached": ["It was over before their turn came", 0],
  "rollout.changed.data.kind": ["What it is", "FirmwareCampaign"],
  "rollout.changed.data.state": ["Its state now", "Running"],
  "rollout.changed.data.pauseReason": ["Why it is paused; null while it is not", null]
}

export const rolloutTags: Descriptions["tags"] = {
  "command-batches": "The same command for many chargers, at a pace",
  "firmware-campaigns": "Firmware for many chargers, in waves"
}

const paused =
  "Commands that were issued go on. Answers the batch or campaign as it is now; where it was so already nothing changes."

export const rolloutOperations: Descriptions["operations"] = {
  "command-batches.create":
    "For `chargerIds`, or for all that fit `filter` now. Chargers are commanded one after the other, `perMinute` of them in a minute, each once; those that are not connected fail unless the command has `expiresIn`. Not for commands that mean one driver, session or reservation, nor for firmware, which goes by campaigns. At most 20 rollouts of an organisation go on at once.",
  "command-batches.list": "With how many chargers are in which state. They are kept for 400 days after their end.",
  "command-batches.get":
    "With how many chargers are in which state. The event `rollout.changed` says when its state changes.",
  "command-batches.targets": "With the id of each charger's command, and what failed.",
  "command-batches.pause": paused,
  "command-batches.resume": "Failures that there are count no more towards `pauseAfterFailures`.",
  "command-batches.cancel": `Chargers whose turn has not come are not commanded. ${paused}`,
  "firmware-campaigns.create":
    "Of a stored file or a location that chargers can reach. A charger has its turn when it is connected and its window is open; one that is away does not hold up the others, and is updated when it comes back. It has succeeded when it reports Installed or runs the new version, and failed when it says so or after 24 hours without either. The next wave begins when all chargers of the one before have their outcome. The campaign pauses when all of the first wave failed, or `pauseAfterFailures` chargers (3 without it).",
  "firmware-campaigns.list": "With how many chargers are in which state. They are kept for 400 days after their end.",
  "firmware-campaigns.get":
    "With how many chargers are in which state. The event `rollout.changed` says when its state changes.",
  "firmware-campaigns.targets": "With the id of each charger's command, and what failed.",
  "firmware-campaigns.approve":
    "409 `second_person_needed` for the person who made it. A key approves for the operator that it belongs to.",
  "firmware-campaigns.pause": paused,
  "firmware-campaigns.resume": "Failures that there are count no more towards `pauseAfterFailures`.",
  "firmware-campaigns.cancel": `Chargers whose turn has not come are not updated. ${paused}`
}

export const rolloutBodies: Descriptions["bodies"] = {
  "command-batches.create": {
    some: { command: { type: "Reset", resetType: "Soft" }, chargerIds: ["CP-7", "CP-8"] },
    site: {
      name: "Out of service for the fair",
      command: { type: "ChangeAvailability", connectorId: 0, operationalStatus: "Inoperative", expiresIn: 86_400 },
      filter: { siteId: ids.site },
      perMinute: 60
    }
  },
  "firmware-campaigns.create": {
    nights: {
      name: "Satellite to 6.6",
      fileId: ids.file,
      version: "6.6",
      filter: { q: "satellite" },
      waves: [1, "10%"],
      window: { from: "22:00", to: "05:00" },
      pauseAfterFailures: 2
    },
    approved: {
      name: "Fix of the lock",
      location: "https://firmware.example.com/lock-2.1.bin",
      chargerIds: ["CP-7"],
      needsApproval: true
    }
  }
}
