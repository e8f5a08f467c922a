/** Writes our requests to a partner into the log of its exchanges. */
import { kept, keptPath, ocpiStatusOf, withoutHidden } from "../../domain/roaming/ExchangeRecord.ts"
import type { Partner } from "../../domain/roaming/Partner.ts"
import type { Exchanges } from "../../domain/roaming/Exchanges.ts"
import type { ClientOptions, PartnerCall } from "./OcpiClient.ts"

/** The URL without its scheme and without its secret end. */
const pathOf = ({ hidden = "", url }: PartnerCall): string => {
  const shown = hidden === "" ? url : `${url.slice(0, -hidden.length)}***`
  return shown.replace(/^https?:\/\//i, "")
}

/** Makes the function by which the client of one partner reports each try. It never fails the call. */
export const observing =
  (exchanges: Exchanges["Service"], { id, organisationId }: Pick<Partner, "id" | "organisationId">) =>
  ({ answer, at, call, error, millis, requestId }: Parameters<NonNullable<ClientOptions["observe"]>>[0]): void =>
    exchanges.record({
      organisationId,
      partnerId: id,
      at,
      direction: "out",
      module: call.module,
      method: call.method,
      path: keptPath(pathOf(call)),
      httpStatus: answer?.status,
      ocpiStatus: ocpiStatusOf(answer?.body),
      millis,
      requestId,
      correlationId: call.correlationId,
      requestBody: kept(call.body),
      responseBody: kept(withoutHidden(answer?.body, call.hidden ?? "")),
      error: kept(withoutHidden(error, call.hidden ?? ""))
    })
