/** What the FirmwareManagement profile asks of a charger (OCPP 1.6 §5.9, §5.19). */
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
