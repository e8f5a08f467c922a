/** What the FirmwareManagement profile asks of a charger (OCPP 1.6 §5.9, §5.19). */
import { answersWithout, present, writeNearestTime, writeOptionalTime, writeRetries, type Command } from "./Command.ts"
import { readFileName } from "./FileName.ts"

/** §5.9. An answer without a name means that there is nothing to upload. */
export const getDiagnostics: Command<"GetDiagnostics"> = {
  action: "GetDiagnostics",
  encode: (command) =>
    present({
      location: command.location,
      startTime: writeOptionalTime(command.startTime),
      stopTime: writeOptionalTime(command.stopTime),
      ...writeRetries(command)
    }),
  decode: answersWithout(readFileName)
}

/** §5.19. The answer is empty. */
export const updateFirmware: Command<"UpdateFirmware"> = {
  action: "UpdateFirmware",
  encode: (command) =>
    present({
      location: command.location,
      retrieveDate: writeNearestTime(command.retrieveAt),
      ...writeRetries(command)
    }),
  decode: answersWithout(() => undefined)
}
