/**
 * Why a card may charge here, or may not: the verdict, the rule that decided it, each check, and the last attempts. Texts with a time or a charger
 * are written here: the service does not know the reader's time zone or the names on the screen.
 */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../api/client.ts"
import type { Answer } from "../api/types.ts"
import { missingFor, useMe } from "../app/me.ts"
import { useChargerName, useChargerNames, useLive } from "../live/store.ts"
import { Facts, Outside } from "../parts/Facts.tsx"
import { moment } from "../parts/format.ts"
import { Failed, Loading, NotPermitted } from "../parts/States.tsx"
import { Pill } from "../parts/Status.tsx"
import { Moment } from "../parts/Time.tsx"
import { t, word } from "../text/text.ts"

const offered = 2000

type Explained = Answer<"tokens.explanation">

const Reason = ({ of: { explanation, openSessions, rule, token } }: { readonly of: Explained }) => {
  const [open] = openSessions
  const charger = useChargerName(open?.chargerId ?? "")
  if (rule === "charging_already" && open !== undefined) {
    return <p>{t("why.charging", { charger, at: moment(Date.parse(open.startedAt)) })}</p>
  }
  // A card that is marked as expired may have an expiry time in the future: the service's text then says which of the two it is.
  if (rule === "own_token_expired" && token?.status !== "Expired" && typeof token?.expiresAt === "string") {
    return <p>{t("why.expired", { at: moment(Date.parse(token.expiresAt)) })}</p>
  }
  return <p>{explanation}</p>
}

const detailOf = ({ detail, rule }: Explained["checks"][number], { token }: Explained): string =>
  rule === "expiry" && typeof token?.expiresAt === "string"
    ? t("why.expires", { at: moment(Date.parse(token.expiresAt)) })
    : detail

export const Why = ({ uid }: { readonly uid: string }) => {
  const missing = missingFor(useMe(), "tokens.explanation")
  const { rows } = useLive()
  const names = useChargerNames()
  const [chargerId, setCharger] = useState("")
  const { data, error, refetch } = useQuery({
    queryKey: ["tokens.explanation", uid, chargerId],
    enabled: missing.length === 0,
    queryFn: () => call("tokens.explanation", { params: { uid }, query: chargerId === "" ? {} : { chargerId } })
  })
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  return (
    <section aria-label={t("why.title")} className="why">
      <header className="section-head">
        <h2>{t("why.title")}</h2>
        <label>
          <span className="hide">{t("charger.one")}</span>
          <select value={chargerId} onChange={({ target }) => setCharger(target.value)}>
            <option value="">{t("why.anywhere")}</option>
            {rows.slice(0, offered).map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </header>
      {error === null ? null : <Failed what={t("why.notRead")} error={error} retry={() => void refetch()} />}
      {data === undefined && error === null ? <Loading rows={3} /> : null}
      {data === undefined ? null : (
        <>
          <p aria-live="polite">
            <Pill tone={data.allowed ? "ok" : "bad"}>
              <b>{data.allowed ? t("why.may") : t("why.mayNot", { verdict: word("cardStatus", data.verdict) })}</b>
            </Pill>
          </p>
          <Reason of={data} />
          <ul className="checks">
            {data.checks.map((check) => (
              <li key={check.rule} className={check.passed ? "" : "trouble"}>
                <span aria-hidden="true">{check.passed ? "✓" : "✗"}</span>
                <span className="hide">{check.passed ? t("why.passed") : t("why.failed")}</span>{" "}
                <Outside>{detailOf(check, data)}</Outside>
              </li>
            ))}
          </ul>
          <Facts
            rows={[
              ...(data.token === null
                ? []
                : ([
                    [
                      t("why.whose"),
                      data.token.partnerName === null ? (
                        t("session.own")
                      ) : (
                        <Outside key="partner">{data.token.partnerName}</Outside>
                      )
                    ],
                    [t("why.contract"), data.token.contractId]
                  ] as const)),
              ...(data.charger === null
                ? []
                : ([[t("why.localList"), word("localList", data.charger.localListState)]] as const))
            ]}
          />
          <h3>{t("why.attempts")}</h3>
          {data.attempts.length === 0 ? <p className="none">{t("why.noAttempts")}</p> : null}
          <ul className="rows">
            {data.attempts.map((one) => (
              <li key={`${one.at}${one.chargerId}`}>
                <span>
                  <Moment at={one.at} /> · <Outside>{names.get(one.chargerId) ?? one.chargerId}</Outside>
                  <small>
                    {word("attemptKind", one.kind)} · {word("attemptSource", one.source)}
                  </small>
                </span>
                <Pill tone={one.answer === "Accepted" ? "ok" : "bad"}>{word("cardStatus", one.answer)}</Pill>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
