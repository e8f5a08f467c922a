/** Webhooks: where events are posted, the secret that signs them, and each delivery with its answer. */
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../api/client.ts"
import { changed } from "../live/store.ts"
import { Act, Copy } from "../parts/Act.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Outside } from "../parts/Facts.tsx"
import { Form, TextField } from "../parts/Form.tsx"
import { History } from "../parts/History.tsx"
import { Icon } from "../parts/Icon.tsx"
import { Head, useTitle } from "../parts/Page.tsx"
import { useFilters, usePages } from "../parts/pages.ts"
import { Empty, Failed, Loading, NotPermitted, problemText } from "../parts/States.tsx"
import { Pill } from "../parts/Status.tsx"
import { t } from "../text/text.ts"
import { Deliveries } from "./Deliveries.tsx"
import { WebhookTester } from "./WebhookTester.tsx"

export const Webhooks = () => {
  const [filters, set] = useFilters()
  const [secret, setSecret] = useState("")
  const [said, setSaid] = useState("")
  useTitle(t("webhook.many"))
  const pages = usePages("webhooks.list", { query: {} })
  const open = pages.rows.find(({ id }) => id === filters["webhook"])
  const attempt = (work: Promise<unknown>, text: string) =>
    void work
      .then(() => {
        setSaid(text)
        changed("webhooks.list", "webhooks.deliveries")
      })
      .catch((error: unknown) => setSaid(problemText(error)))
  const close = () => {
    setSecret("")
    set({ do: undefined })
  }
  return (
    <section className="page scrolls" aria-label={t("webhook.many")}>
      <Head
        title={t("webhook.many")}
        summary={
          <>
            <Link to={"/events" as never} search={{} as never}>
              {t("place.events")}
            </Link>
            {said === "" ? null : <span role="status"> · {said}</span>}
          </>
        }
      >
        <button type="button" className="button" onClick={() => set({ do: "check" })}>
          {t("webhook.tester")}
        </button>
        <Act needs={["webhooks.create"]} kind="main" onClick={() => set({ do: "add" })}>
          <Icon name="plus" />
          <span>{t("webhook.add")}</span>
        </Act>
      </Head>
      {pages.missing.length > 0 ? <NotPermitted permissions={pages.missing} /> : null}
      {pages.error === null ? null : <Failed what={t("webhook.notRead")} error={pages.error} retry={pages.retry} />}
      {pages.isLoading ? <Loading /> : null}
      {!pages.isLoading && pages.missing.length === 0 && pages.error === null && pages.rows.length === 0 ? (
        <Empty title={t("webhook.noneYet")} text={t("webhook.noneYetText")} />
      ) : null}
      <ul className="rows">
        {pages.rows.map((one) => (
          <li key={one.id}>
            <span>
              <Outside mono>{one.url}</Outside>
              <small>
                {one.types === null ? t("webhook.allTypes") : one.types.join(", ")}
                {one.lastProblem === null ? null : (
                  <span className="trouble">
                    {" · "}
                    <Outside>{one.lastProblem.message}</Outside>
                  </span>
                )}
              </small>
            </span>
            <span className="acts">
              <Pill tone={one.active ? "ok" : "off"}>{one.active ? t("webhook.active") : t("webhook.paused")}</Pill>
              <button type="button" className="button small" onClick={() => set({ webhook: one.id })}>
                {t("webhook.deliveries")}
              </button>
              <Act
                needs={["webhooks.ping"]}
                kind="small"
                onClick={() => attempt(call("webhooks.ping", { params: { webhookId: one.id } }), t("webhook.pinged"))}
              >
                {t("webhook.ping")}
              </Act>
              <Act
                needs={["webhooks.rotateSecret"]}
                kind="small"
                onClick={() =>
                  void call("webhooks.rotateSecret", { params: { webhookId: one.id } })
                    .then(({ secret: fresh }) => {
                      setSecret(fresh)
                      changed("webhooks.list")
                    })
                    .catch((error: unknown) => setSaid(problemText(error)))
                }
              >
                {t("webhook.rotate")}
              </Act>
              <Act
                needs={["webhooks.update"]}
                kind="small"
                onClick={() =>
                  attempt(call("webhooks.update", { params: { webhookId: one.id }, body: { active: !one.active } }), "")
                }
              >
                {one.active ? t("webhook.pause") : t("webhook.resume")}
              </Act>
              <History of={{ subject: `webhook:${one.id}` }} />
              <Act
                needs={["webhooks.remove"]}
                kind="small"
                onClick={() => attempt(call("webhooks.remove", { params: { webhookId: one.id } }), "")}
              >
                {t("action.remove")}
              </Act>
            </span>
          </li>
        ))}
      </ul>
      {filters["do"] === "add" && secret === "" ? (
        <Dialog title={t("webhook.add")} onClose={close}>
          <Form
            submit={t("webhook.add")}
            onCancel={close}
            fields={["url", "types"]}
            onSubmit={async (values) => {
              const types = values
                .text("types")
                .split(/[\s,]+/)
                .filter(Boolean)
              const made = await call("webhooks.create", {
                body: { url: values.text("url"), ...(types.length === 0 ? {} : { types: types as never }) }
              })
              changed("webhooks.list")
              setSecret(made.secret)
            }}
          >
            <TextField name="url" type="url" label={t("webhook.url")} required autoFocus />
            <TextField name="types" label={t("webhook.types")} hint={t("webhook.typesHint")} />
          </Form>
        </Dialog>
      ) : null}
      {secret === "" ? null : (
        <Dialog title={t("webhook.secret")} onClose={close}>
          <p>{t("webhook.secretText")}</p>
          <p>
            <code>{secret}</code> <Copy text={secret} />
          </p>
        </Dialog>
      )}
      {filters["do"] === "check" ? <WebhookTester onClose={close} /> : null}
      {open === undefined ? null : (
        <Dialog title={t("webhook.deliveries")} onClose={() => set({ webhook: undefined, status: undefined })} wide>
          <p className="secondary">
            <Outside mono>{open.url}</Outside>
          </p>
          <Deliveries webhookId={open.id} />
        </Dialog>
      )}
    </section>
  )
}
