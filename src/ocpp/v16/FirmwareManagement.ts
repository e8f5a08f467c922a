/**
 * The FirmwareManagement profile (OCPP 1.6 §4.4, §4.5, §5.9, §5.19): firmware updates and uploads of diagnostics, as
 * commands and as reports of their progress.
 */
import { action, empty } from "./Action.ts"
import { word } from "./Kinds.ts"
import { answersWithout, present, writeNearestTime, writeOptionalTime, writeRetries, type Command } from "./Command.ts"
import { readFileName } from "./FileName.ts"

/** §5.9. An answer without a name means that there is nothing to upload. */
export const getDiagnostics: Command<"GetDiagnostics"> = {
  action: "GetDiagnostics",
  encode: (command) =>
    present({
      location: command.location,
      ...writeRetries(command),
      startTime: writeOptionalTime(command.startTime),
      stopTime: writeOptionalTime(command.stopTime)
    }),
  decode: answersWithout(readFileName)
}

/** §5.19. The answer is empty. */
export const updateFirmware: Command<"UpdateFirmware"> = {
  action: "UpdateFirmware",
  encode: (command) =>
    present({
      location: command.location,
      retries: command.retries,
      retrieveDate: writeNearestTime(command.retrieveAt),
      retryInterval: command.retryIntervalSeconds
    }),
  decode: answersWithout(() => undefined)
}

/** §4.4. */
export const diagnosticsStatusNotification = action({
  fields: { status: word(["Idle", "Uploaded", "UploadFailed", "Uploading"]) },
  needs: ["status"],
  event: ({ status = "" }) => ({ _tag: "UploadStatusReported", kind: "Diagnostics", status, requestId: undefined }),
  replies: { Acknowledged: empty }
})

/** §4.5. */
export const firmwareStatusNotification = action({
  fields: {
    status: word([
      "Downloaded",
      "DownloadFailed",
      "Downloading",
      "Idle",
      "InstallationFailed",
      "Installing",
      "Installed"
    ])
  },
  needs: ["status"],
  event: ({ status = "" }) => ({ _tag: "FirmwareStatusReported", status, requestId: undefined }),
  replies: { Acknowledged: empty }
})
