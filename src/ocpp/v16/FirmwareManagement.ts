/** The FirmwareManagement profile (OCPP 1.6 §4.4, §4.5): how an update and an upload of diagnostics go on. */
import { action, empty } from "./Action.ts"
import { word } from "./Kinds.ts"

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
