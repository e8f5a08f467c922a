/** What else the security whitepaper (edition 3, §5) asks of a charger: its logs, and firmware whose maker has signed it. */
import { answersWith, present, writeNearestTime, writeOptionalTime, writeRetries, type Command } from "./Command.ts"
import { readFileName } from "./FileName.ts"

/** GetLog.req. `AcceptedCanceled` says that an upload that was going on has been ended for this one. */
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
