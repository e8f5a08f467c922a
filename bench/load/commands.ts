/** Commands by HTTP, one after the other. The latency is from the request to its answer, which waits for the charger's answer. */
import type { Charger } from "./charger.ts"
import type { LoadOrder } from "./protocol.ts"
import { Tally } from "./tally.ts"

export const commandInTurn = async (
  fleet: ReadonlyArray<Charger>,
  { body, count, headers, url }: Extract<LoadOrder, { readonly kind: "command" }>
): Promise<Tally> => {
  const tally = new Tally()
  for (let n = 0; n < count; n++) {
    const charger = fleet[n % fleet.length]
    if (charger === undefined) break
    const callsBefore = charger.serverCalls
    const sentAt = performance.now()
    const answer = await fetch(url.replace("{id}", charger.id), { method: "POST", headers, body })
    const text = await answer.text()
    const took = performance.now() - sentAt
    if (answer.ok && charger.serverCalls > callsBefore) tally.answered(took)
    else tally.failed(`${charger.id}: ${answer.status} ${text.slice(0, 200)}`)
  }
  return tally
}
