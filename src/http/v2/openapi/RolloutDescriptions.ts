/** Descriptions and examples of rollouts: command batches and firmware campaigns. */
import type { Descriptions } from "../../openapi/Descriptions.ts"
import { ids } from "./Common.ts"

const operator = `operator:${ids.key}`

/** Properties that both kinds have. */
const shown = (kind: "CommandBatch" | "FirmwareCampaign"): Descriptions["properties"] => ({
  [`${kind}.name`]: ["Its name", kind === "CommandBatch" ? "Restart after the outage" : "Satellite to 6.6"],
  [`${kind}.state`]: ["Its state; Completed and Cancelled are final", "Running"],
  [`${kind}.pauseReason`]: ["Why it is paused; null if it is not", null],
  [`${kind}.type`]: ["The command that each charger gets", kind === "CommandBatch" ? "Reset" : "UpdateFirmware"],
  [`${kind}.parameters`]: [
    "The command's payload as given, with secrets masked",
    kind === "CommandBatch" ? { resetType: "Soft" } : { fileId: ids.file }
  ],
  [`${kind}.targets`]: ["Number of chargers that it is for", 40],
  [`${kind}.counts`]: ["Number of them in each state"],
  [`${kind}.perMinute`]: ["Maximum number of chargers that get the command in one minute", 30],
  [`${kind}.pauseAfterFailures`]: ["The number of failed chargers at which it pauses; null: never", 3],
  [`${kind}.createdBy`]: ["Who made it, such as `operator:<id>` or `key:<id>`", operator],
  [`${kind}.lastIssuedAt`]: ["When a command was last issued to a charger; null before the first"],
  [`${kind}.endsAt`]: ["When it ends, even if not all chargers had their turn", "2026-12-20T08:30:00.000Z"],
  [`${kind}.endedAt`]: ["When it ended; null while it runs", null]
})

export const rolloutDescriptions: Descriptions["properties"] = {
  ...shown("CommandBatch"),
  ...shown("FirmwareCampaign"),
  "FirmwareCampaign.version": [
    "The version that chargers report when they run this firmware; null if not given",
    "6.6"
  ],
  "FirmwareCampaign.waves": ["The total number of chargers that are updated by the end of each wave", [1, 4, 40]],
  "FirmwareCampaign.wave": ["The current wave, counted from 1", 2],
  "FirmwareCampaign.window": ["Hours in which chargers are updated, in the local time of each site; null: at any time"],
  "RolloutWindow.from": ["When the window opens", "22:00"],
  "RolloutWindow.to": ["When the window closes; if before `from`, on the next day", "05:00"],
  "NewFirmwareCampaign.window.from": ["When the window opens, 00:00 to 24:00", "22:00"],
  "NewFirmwareCampaign.window.to": ["When the window closes; if before `from`, on the next day", "05:00"],
  "FirmwareCampaign.approvedBy": ["Who approved it; null if no approval is needed, or none was given yet", null],
  "FirmwareCampaign.approvedAt": ["When it was approved; null if it was not", null],
  "RolloutCounts.waiting": ["Chargers whose turn has not come yet", 35],
  "RolloutCounts.issued": ["Chargers with a command that has no outcome yet", 1],
  "RolloutCounts.succeeded": ["Chargers that succeeded", 3],
  "RolloutCounts.failed": ["Chargers that refused, did not answer, or failed", 0],
  "RolloutCounts.skipped": ["Chargers that were skipped because they already ran the version", 1],
  "RolloutCounts.unreached": ["Chargers whose turn had not come when it ended", 0],
  "RolloutTarget.state": ["The state of this charger", "Succeeded"],
  "RolloutTarget.detail": ["The error, as a code of the charger or the service; null if there was none", null],
  "RolloutTarget.commandId": ["The id of the charger's command; null before it is issued", ids.command],
  "RolloutTarget.issuedAt": ["When the command was issued; null before"],
  "RolloutTarget.endedAt": ["When the outcome became known; null before", null],
  "NewCommandBatch.command": [
    "In the format of `POST /v2/chargers/{chargerId}/commands`, limited to types that make sense for many chargers",
    { type: "Reset", resetType: "Soft" }
  ],
  "NewCommandBatch.filter": ["Chargers that match all of these conditions; alternative to `chargerIds`"],
  "NewFirmwareCampaign.filter": ["Chargers that match all of these conditions; alternative to `chargerIds`"],
  "RolloutFilter.state": ["Only chargers in one of these states", ["Available"]],
  "RolloutFilter.connected": ["Only chargers that are connected, or only those that are not", true],
  "command-batches.list.query.state": ["Only those in this state", "Running"],
  "firmware-campaigns.list.query.state": ["Only those in this state", "Running"],
  "command-batches.targets.query.state": ["Only chargers in this state", "Failed"],
  "firmware-campaigns.targets.query.state": ["Only chargers in this state", "Failed"],
  "rollout.changed.data.rolloutId": ["The `id` of the command batch or firmware campaign", ids.other],
  "rollout.progress.data.rolloutId": ["The `id` of the command batch or firmware campaign", ids.other],
  "rollout.progress.data.kind": ["Its kind", "FirmwareCampaign"],
  "rollout.progress.data.waiting": ["Chargers whose turn has not come yet", 35],
  "rollout.progress.data.issued": ["Chargers with a command that has no outcome yet", 1],
  "rollout.progress.data.succeeded": ["Chargers that succeeded", 3],
  "rollout.progress.data.failed": ["Chargers that refused, did not answer, or failed", 0],
  "rollout.progress.data.skipped": ["Chargers that were skipped because they already ran the version", 1],
  "rollout.progress.data.unreached": ["Chargers whose turn had not come when it ended", 0],
  "rollout.changed.data.kind": ["Its kind", "FirmwareCampaign"],
  "rollout.changed.data.state": ["Its state now", "Running"],
  "rollout.changed.data.pauseReason": ["Why it is paused; null if it is not", null]
}

export const rolloutTags: Descriptions["tags"] = {
  "command-batches": "The same command for many chargers, at a limited rate",
  "firmware-campaigns": "Firmware for many chargers, in waves"
}

const paused =
  "Commands that are already issued continue. Returns the batch or campaign as it is now; if it was already in that state, nothing changes."

export const rolloutOperations: Descriptions["operations"] = {
  "command-batches.create":
    "For `chargerIds`, or for all chargers that match `filter` now. Commands are issued to one charger after the other, `perMinute` of them in a minute, once each; chargers that are not connected fail unless the command has `expiresIn`. Not for commands that concern one driver, session or reservation, nor for firmware, which needs a campaign. At most 20 rollouts of an organisation run at once.",
  "command-batches.list": "With the number of chargers in each state. They are kept for 400 days after their end.",
  "command-batches.get":
    "With the number of chargers in each state. The event `rollout.changed` reports changes of its state.",
  "command-batches.targets": "With the id of each charger's command, and its error.",
  "command-batches.pause": paused,
  "command-batches.resume": "Failures so far no longer count towards `pauseAfterFailures`.",
  "command-batches.cancel": `Chargers whose turn has not come yet get no command. ${paused}`,
  "firmware-campaigns.create":
    "With a stored file or a location that chargers can reach. A charger gets its turn when it is connected and its window is open; one that is offline does not delay the others, and is updated when it reconnects. It has succeeded when it reports Installed or runs the new version, and failed when it reports a failure or after 24 hours without either. The next wave begins when all chargers of the previous one have an outcome. The campaign pauses when all chargers of the first wave failed, or `pauseAfterFailures` chargers in all (default 3).",
  "firmware-campaigns.list": "With the number of chargers in each state. They are kept for 400 days after their end.",
  "firmware-campaigns.get":
    "With the number of chargers in each state. The event `rollout.changed` reports changes of its state.",
  "firmware-campaigns.targets": "With the id of each charger's command, and its error.",
  "firmware-campaigns.approve":
    "409 `second_person_needed` if the caller is the person who made it. A key approves for the operator that it belongs to.",
  "firmware-campaigns.pause": paused,
  "firmware-campaigns.resume": "Failures so far no longer count towards `pauseAfterFailures`.",
  "firmware-campaigns.cancel": `Chargers whose turn has not come yet are not updated. ${paused}`
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
