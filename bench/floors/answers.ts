/**
 * The fixed answers of both floors: for each action of a charger, a CALLRESULT payload that fits its OCPP 1.6 schema. A
 * floor decides nothing, so its cost is that of the socket, the frame and (in one of them) the row.
 */
const at = new Date().toISOString()

const answers = new Map<string, string>([
  ["BootNotification", `{"status":"Accepted","currentTime":"${at}","interval":300}`],
  ["Heartbeat", `{"currentTime":"${at}"}`],
  ["Authorize", `{"idTagInfo":{"status":"Accepted"}}`],
  ["StartTransaction", `{"transactionId":1,"idTagInfo":{"status":"Accepted"}}`],
  ["StopTransaction", `{"idTagInfo":{"status":"Accepted"}}`]
])

/** Reads one CALL frame and builds the CALLRESULT frame for it (OCPP-J 1.6 §4.2). */
export const answerTo = (frame: string): string => {
  const [, id, action]: [number, string, string] = JSON.parse(frame)
  return `[3,"${id}",${answers.get(action) ?? "{}"}]`
}
