/**
 * The security extensions (whitepaper "Improved security for OCPP 1.6-J", edition 3, §4 and §5) without certificates:
 * logs, signed firmware, and security events.
 */
import { shownText } from "../../domain/values/SecretText.ts"
import { action, empty } from "./Action.ts"
import { integer, text, time, word } from "./Kinds.ts"
import { optional } from "./Lenient.ts"
import { readTime } from "./Time.ts"
import { answersWith, present, writeNearestTime, writeOptionalTime, writeRetries, type Command } from "./Command.ts"
import { readFileName } from "./FileName.ts"

/** GetLog.req. `AcceptedCanceled` means that a running upload was ended for this one. */
export const getLog: Command<"GetLog"> = {
  action: "GetLog",
  encode: (command) =>
    present({
      log: present({
        remoteLocation: command.location,
        oldestTimestamp: writeOptionalTime(command.oldestAt),
        latestTimestamp: writeOptionalTime(command.latestAt)
      }),
      logType: command.logType,
      requestId: command.requestId,
      ...writeRetries(command)
    }),
  decode: answersWith(["Accepted", "Rejected", "AcceptedCanceled"], readFileName)
}

/** SignedUpdateFirmware.req. */
export const signedUpdateFirmware: Command<"SignedUpdateFirmware"> = {
  action: "SignedUpdateFirmware",
  encode: (command) =>
    present({
      ...writeRetries(command),
      requestId: command.requestId,
      firmware: present({
        location: command.location,
        retrieveDateTime: writeNearestTime(command.retrieveAt),
        installDateTime: writeOptionalTime(command.installAt),
        signingCertificate: command.signingCertificate,
        signature: command.signature
      })
    }),
  decode: answersWith(["Accepted", "Rejected", "AcceptedCanceled", "InvalidCertificate", "RevokedCertificate"])
}

/** A security event is accepted whatever its time is: that it happened matters more than when. */
export const securityEventNotification = action({
  fields: { type: text(50), timestamp: time, techInfo: optional(text(255)) },
  needs: ["type"],
  event: ({ techInfo, timestamp, type = "" }) => ({
    _tag: "SecurityEventReported",
    type: shownText(type),
    time: readTime(timestamp),
    techInfo: techInfo && shownText(techInfo)
  }),
  replies: { Acknowledged: empty }
})

export const signCertificate = action({
  fields: { csr: text(5500) },
  needs: ["csr"],
  event: ({ csr = "" }) => ({ _tag: "CertificateRequested", csr }),
  replies: { CertificateAnswered: ({ status }) => ({ status }) }
})

export const logStatusNotification = action({
  fields: {
    status: word([
      "BadMessage",
      "Idle",
      "NotSupportedOperation",
      "PermissionDenied",
      "Uploaded",
      "UploadFailure",
      "Uploading"
    ]),
    requestId: optional(integer)
  },
  needs: ["status"],
  event: ({ requestId, status = "" }) => ({ _tag: "UploadStatusReported", kind: "Log", status, requestId }),
  replies: { Acknowledged: empty }
})

export const signedFirmwareStatusNotification = action({
  fields: {
    status: word([
      "Downloaded",
      "DownloadFailed",
      "Downloading",
      "DownloadScheduled",
      "DownloadPaused",
      "Idle",
      "InstallationFailed",
      "Installing",
      "Installed",
      "InstallRebooting",
      "InstallScheduled",
      "InstallVerificationFailed",
      "InvalidSignature",
      "SignatureVerified"
    ]),
    requestId: optional(integer)
  },
  needs: ["status"],
  event: ({ requestId, status = "" }) => ({ _tag: "FirmwareStatusReported", status, requestId }),
  replies: { Acknowledged: empty }
})
