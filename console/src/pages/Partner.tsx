/** One roaming partner: its modules, the exchanges, the parked deliveries, and what it sees. */
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../api/client.ts"
import { missingFor, useMe } from "../app/me.ts"
import { changed } from "../live/store.ts"
import { Act, Copy } from "../parts/Act.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Facts, Outside } from "../parts/Facts.tsx"
import { Form } from "../parts/Form.tsx"
import { More, Side, Tabs, useOpen, useTitle } from "../parts/Page.tsx"
import { usePages } from "../parts/pages.ts"
import { Failed, Loading, NotPermitted, problemText } from "../parts/States.tsx"
import { Ago, Moment } from "../parts/Time.tsx"
import { t, tn, word } from "../text/text.ts"
import { Health, RegisterForm, useHealth } from "./Partners.tsx"

export const Partner = () => {
  const id = useOpen() ?? ""
  const missing = missingFor(useMe(), "partners.get")
  const go = useNavigate()
  const [open, setOpen] = useState<"register" | "remove" | "invite" | undefined>()
  const [token, setToken] = useState("")
  const [said, setSaid] = useState("")
  const { data, error, refetch } = useQuery({
    queryKey: ["partners.get", id],
    enabled: missing.length === 0,
    queryFn: () => call("partners.get", { params: { partnerId: id } })
  })
  useTitle(data?.name ?? t("partner.one"))
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  const frame = { back: "/roaming", label: t("partner.one") }
  if (data === undefined) {
    return (
      <Side {...frame} title={t("partner.one")}>
        {error === null ? (
          <Loading />
        ) : (
          <Failed what={t("partner.notRead")} error={error} retry={() => void refetch()} />
        )}
      </Side>
    )
  }
  const close = () => {
    setOpen(undefined)
    setToken("")
  }
  const attempt = (work: Promise<unknown>) =>
    void work
      .then(() => {
        setSaid("")
        changed("partners.list", "partners.get", "partner-records.health")
      })
      .catch((failure: unknown) => setSaid(problemText(failure)))
  const isSuspended = data.status === "Suspended"
  return (
    <Side
      {...frame}
      history={`partner:${id}`}
      title={<Outside>{data.name}</Outside>}
      sub={[
        data.countryCode,
        data.partyId,
        data.ocpiVersion === null ? "" : `OCPI ${data.ocpiVersion}`,
        word("partnerStatus", data.status)
      ]
        .filter(Boolean)
        .join(" · ")}
      acts={
        <>
          <Act needs={["partners.invite"]} onClick={() => setOpen("invite")}>
            {t("partner.invite")}
          </Act>
          <Act needs={["partners.register"]} onClick={() => setOpen("register")}>
            {t("partner.register")}
          </Act>
          <Act
            needs={["partners.renew"]}
            off={data.status !== "Registered"}
            onClick={() => attempt(call("partners.renew", { params: { partnerId: id } }))}
          >
            {t("partner.renew")}
          </Act>
          <Act
            needs={["partners.update"]}
            onClick={() =>
              attempt(call("partners.update", { params: { partnerId: id }, body: { suspended: !isSuspended } }))
            }
          >
            {isSuspended ? t("partner.resume") : t("partner.suspend")}
          </Act>
          <Act needs={["partners.remove"]} onClick={() => setOpen("remove")}>
            {t("action.remove")}
          </Act>
        </>
      }
    >
      {said === "" ? null : (
        <p className="failed" role="alert">
          {said}
        </p>
      )}
      <Tabs
        tabs={[
          { id: "health", label: t("partner.health"), show: () => <Modules id={id} /> },
          { id: "exchanges", label: t("partner.exchanges"), show: () => <Exchanges id={id} /> },
          { id: "parked", label: t("partner.parked"), show: () => <Parked id={id} /> },
          { id: "view", label: t("partner.view"), show: () => <View id={id} /> }
        ]}
      />
      {open === "register" ? (
        <Dialog title={t("partner.register")} onClose={close}>
          <RegisterForm partnerId={id} onDone={close} />
        </Dialog>
      ) : null}
      {open === "invite" ? (
        <Dialog title={t("partner.invite")} onClose={close}>
          {token === "" ? (
            <Form
              submit={t("partner.invite")}
              onCancel={close}
              onSubmit={async () => {
                const { credentialsToken } = await call("partners.invite", { params: { partnerId: id } })
                setToken(credentialsToken)
                changed("partners.list", "partners.get")
              }}
            >
              <p>{t("partner.inviteAgain")}</p>
            </Form>
          ) : (
            <Facts
              rows={[
                [t("partner.versionsUrl"), <code key="url">{data.versionsUrl}</code>],
                [
                  t("partner.token"),
                  <>
                    <code>{token}</code> <Copy text={token} /> <small>{t("connect.once")}</small>
                  </>
                ]
              ]}
            />
          )}
        </Dialog>
      ) : null}
      {open === "remove" ? (
        <Dialog title={t("partner.remove", { name: data.name })} onClose={close}>
          <Form
            danger
            submit={t("action.remove")}
            onCancel={close}
            onSubmit={async () => {
              await call("partners.remove", { params: { partnerId: id } })
              changed("partners.list")
              void go({ to: "/roaming" as never })
            }}
          >
            <p>{t("partner.removeText")}</p>
          </Form>
        </Dialog>
      ) : null}
    </Side>
  )
}

const Modules = ({ id }: { readonly id: string }) => {
  const { data, error, refetch } = useHealth(id)
  if (error !== null) return <Failed what={t("partner.healthNotRead")} error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading rows={4} />
  const { deliveries, modules, tokens } = data
  return (
    <>
      {deliveries === null ? null : (
        <Facts
          rows={[
            [t("charger.state"), <Health key="state" id={id} />],
            [t("partner.waitingShort"), String(deliveries.due + deliveries.behind)],
            [t("partner.parked"), String(deliveries.parked)],
            [t("partner.lastSuccess"), <Ago key="last" at={deliveries.lastDeliveredAt} />],
            [
              t("partner.lastError"),
              deliveries.lastError === null ? null : <Outside key="error">{deliveries.lastError.message}</Outside>
            ],
            [t("partner.tokens"), tokens === null ? null : String(tokens.tokens)]
          ]}
        />
      )}
      <table className="plain">
        <thead>
          <tr>
            <th>{t("partner.module")}</th>
            <th>{t("partner.lastSuccess")}</th>
            <th>{t("partner.lastFailure")}</th>
          </tr>
        </thead>
        <tbody>
          {modules.map((one) => (
            <tr key={`${one.module}.${one.direction}`}>
              <td>
                {one.module} <small>{one.direction === "in" ? t("partner.in") : t("partner.out")}</small>
              </td>
              <td>
                <Ago at={one.lastSuccessAt} />
              </td>
              <td>
                <Ago at={one.lastFailureAt} />
                {one.lastFailure === null ? null : (
                  <small className="trouble">
                    {" "}
                    <Outside>{one.lastFailure}</Outside>
                  </small>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {modules.length === 0 ? <p className="none">{t("partner.noModules")}</p> : null}
    </>
  )
}

const Exchanges = ({ id }: { readonly id: string }) => {
  const [failedOnly, setFailedOnly] = useState(false)
  const [open, setOpen] = useState("")
  const pages = usePages("partner-records.exchanges", {
    params: { partnerId: id },
    query: failedOnly ? { failed: true } : {}
  })
  if (pages.error !== null)
    return <Failed what={t("partner.exchangesNotRead")} error={pages.error} retry={pages.retry} />
  if (pages.isLoading) return <Loading rows={4} />
  return (
    <>
      <label className="check">
        <input type="checkbox" checked={failedOnly} onChange={({ target }) => setFailedOnly(target.checked)} />
        <span>{t("log.errors")}</span>
      </label>
      {pages.rows.length === 0 ? <p className="none">{t("partner.noExchanges")}</p> : null}
      <ul className="rows">
        {pages.rows.map((one) => (
          <li key={one.id} className="stacked">
            <button
              type="button"
              className="log-line"
              aria-expanded={open === one.id}
              onClick={() => setOpen(open === one.id ? "" : one.id)}
            >
              <span>
                <Moment at={one.at} /> {one.direction === "in" ? "→" : "←"} <b>{one.method}</b>{" "}
                <Outside mono>{one.path}</Outside>
              </span>
              <span className={one.error === null && (one.httpStatus ?? 0) < 400 ? "" : "trouble"}>
                {one.httpStatus ?? "–"} {one.ocpiStatus ?? ""} <small>{one.durationMs} ms</small>
              </span>
            </button>
            {open === one.id ? (
              <div className="frames">
                {one.error === null ? null : <p className="trouble">{one.error}</p>}
                <pre tabIndex={0}>{one.requestBody ?? "–"}</pre>
                <pre tabIndex={0}>{one.responseBody ?? "–"}</pre>
                <small>
                  {one.requestId} · {one.correlationId}
                </small>
              </div>
            ) : null}
          </li>
        ))}
      </ul>
      <More pages={pages} />
    </>
  )
}

/** The console's page for an object that is sent to partners; an EVSE is shown at its site. */
const placeOf = { location: "sites", evse: "sites", tariff: "tariffs", session: "sessions", cdr: "cdrs" } as const

const Parked = ({ id }: { readonly id: string }) => {
  const [said, setSaid] = useState("")
  const pages = usePages("deliveries.parked", { params: { partnerId: id }, query: {} })
  if (pages.error !== null) return <Failed what={t("partner.parkedNotRead")} error={pages.error} retry={pages.retry} />
  if (pages.isLoading) return <Loading rows={3} />
  const attempt = (work: Promise<unknown>) =>
    void work
      .then(() => changed("deliveries.parked", "partner-records.health"))
      .catch((error: unknown) => setSaid(problemText(error)))
  if (pages.rows.length === 0) return <p className="none">{t("partner.noParked")}</p>
  return (
    <>
      {said === "" ? null : <p className="failed">{said}</p>}
      <Act
        needs={["deliveries.replayAll"]}
        kind="small"
        onClick={() => attempt(call("deliveries.replayAll", { params: { partnerId: id } }))}
      >
        {t("partner.replayAll")}
      </Act>
      <ul className="rows">
        {pages.rows.map((one) => (
          <li key={one.id}>
            <div>
              <b>{word("delivery", one.kind)}</b>{" "}
              <Link to={`/${placeOf[one.kind]}/${one.objectId.split("/")[0]!}` as never} search={{} as never}>
                <code>{one.objectId}</code>
              </Link>
              <small className="trouble">
                <Outside>{one.problem}</Outside>
              </small>
              <small>
                {tn("posted.tries", one.tries)} · {t("posted.due")} <Moment at={one.dueAt} /> · {t("posted.givenUp")}{" "}
                <Moment at={one.parkedAt} />
              </small>
            </div>
            <span className="acts">
              <Act
                needs={["deliveries.replay"]}
                kind="small"
                onClick={() => attempt(call("deliveries.replay", { params: { partnerId: id, deliveryId: one.id } }))}
              >
                {t("partner.replay")}
              </Act>
              <Act
                needs={["deliveries.discard"]}
                kind="small"
                onClick={() => attempt(call("deliveries.discard", { params: { partnerId: id, deliveryId: one.id } }))}
              >
                {t("partner.discard")}
              </Act>
            </span>
          </li>
        ))}
      </ul>
      <More pages={pages} />
    </>
  )
}

const viewed = ["locations", "tariffs", "sessions", "cdrs"] as const

/** The objects exactly as the partner receives them, in its own version. */
const View = ({ id }: { readonly id: string }) => {
  const [module, setModule] = useState<(typeof viewed)[number]>("locations")
  const pages = usePages("partner-view.view", { params: { partnerId: id, module }, query: { limit: 20 } })
  return (
    <>
      <div className="acts" role="group" aria-label={t("partner.module")}>
        {viewed.map((one) => (
          <button
            key={one}
            type="button"
            className="button small"
            aria-pressed={one === module}
            onClick={() => setModule(one)}
          >
            {one}
          </button>
        ))}
      </div>
      {pages.error === null ? null : <Failed what={t("partner.viewNotRead")} error={pages.error} retry={pages.retry} />}
      {pages.isLoading ? <Loading rows={4} /> : null}
      {!pages.isLoading && pages.error === null && pages.rows.length === 0 ? (
        <p className="none">{t("partner.seesNothing")}</p>
      ) : null}
      <div className="frames">
        {pages.rows.map((one, index) => (
          <pre key={index} tabIndex={0}>
            {JSON.stringify(one, null, 2)}
          </pre>
        ))}
      </div>
      <More pages={pages} />
    </>
  )
}
