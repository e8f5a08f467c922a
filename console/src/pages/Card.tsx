/** One card: its owner, whether it may charge, and what it did. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../api/client.ts"
import { missingFor, useMe } from "../app/me.ts"
import { useShortcut } from "../app/shortcuts.ts"
import { changed, useChargerNames } from "../live/store.ts"
import { Act } from "../parts/Act.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Facts, Outside } from "../parts/Facts.tsx"
import { Form } from "../parts/Form.tsx"
import { Side, useOpen, useTitle } from "../parts/Page.tsx"
import { usePages } from "../parts/pages.ts"
import { SessionRows } from "../parts/SessionRows.tsx"
import { Failed, Loading, NotPermitted } from "../parts/States.tsx"
import { Pill } from "../parts/Status.tsx"
import { Moment } from "../parts/Time.tsx"
import { t, word } from "../text/text.ts"
import { patchOf } from "./card/fields.ts"
import { CardForm, cardTone } from "./Cards.tsx"
import { Why } from "./Why.tsx"

export const Card = () => {
  const uid = useOpen() ?? ""
  const missing = missingFor(useMe(), "tokens.get")
  const go = useNavigate()
  const [open, setOpen] = useState<"edit" | "remove" | undefined>()
  const { data, error, refetch } = useQuery({
    queryKey: ["tokens.get", uid],
    enabled: missing.length === 0,
    queryFn: () => call("tokens.get", { params: { uid } })
  })
  const sessions = usePages("sessions.list", { query: { tokenUid: uid, limit: 20 } })
  const names = useChargerNames()
  useTitle(uid)
  useShortcut("e", t("action.edit"), () => setOpen("edit"), data !== undefined)
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  const close = () => setOpen(undefined)
  const set = async (status: "Accepted" | "Blocked") => {
    await call("tokens.update", { params: { uid }, body: { status } })
    changed("tokens.list", "tokens.get", "tokens.explanation")
    void refetch()
  }
  return (
    <Side
      back="/cards"
      label={t("card.one")}
      history={`token:${data?.uid ?? uid}`}
      title={<Outside mono>{uid}</Outside>}
      sub={data?.note ?? undefined}
      acts={
        data === undefined ? undefined : (
          <>
            <Act
              needs={["tokens.update"]}
              kind={data.status === "Accepted" ? "danger" : "main"}
              onClick={() => void set(data.status === "Accepted" ? "Blocked" : "Accepted")}
            >
              {data.status === "Accepted" ? t("card.block") : t("card.accept")}
            </Act>
            <Act needs={["tokens.update"]} onClick={() => setOpen("edit")}>
              {t("action.edit")}
            </Act>
            <Act needs={["tokens.remove"]} onClick={() => setOpen("remove")}>
              {t("action.remove")}
            </Act>
          </>
        )
      }
    >
      {error === null ? null : <Failed what={t("card.notOurs")} error={error} retry={() => void refetch()} />}
      {data === undefined && error === null ? <Loading rows={3} /> : null}
      {data === undefined ? null : (
        <>
          <p>
            <Pill tone={cardTone(data.status)}>{word("cardStatus", data.status)}</Pill>
          </p>
          <Facts
            rows={[
              [t("card.number"), data.visualNumber],
              [t("card.group"), data.parentUid],
              [t("card.type"), word("cardType", data.type)],
              [t("card.expires"), <Moment key="expires" at={data.expiresAt} />],
              [t("field.created"), <Moment key="created" at={data.createdAt} />],
              [t("field.updated"), <Moment key="updated" at={data.updatedAt} />]
            ]}
          />
        </>
      )}
      <Why uid={uid} />
      <h2>{t("place.sessions")}</h2>
      <SessionRows
        pages={sessions}
        none={t("card.noSessions")}
        show={({ chargerId }) => names.get(chargerId) ?? chargerId}
      />
      {open === "edit" && data !== undefined ? (
        <Dialog title={uid} onClose={close}>
          <CardForm
            card={data}
            submit={t("action.save")}
            onCancel={close}
            onSubmit={async (typed, shown) => {
              await call("tokens.update", { params: { uid }, body: patchOf(shown, typed) })
              changed("tokens.list", "tokens.get")
              close()
            }}
          />
        </Dialog>
      ) : null}
      {open === "remove" ? (
        <Dialog title={t("card.remove", { uid })} onClose={close}>
          <Form
            danger
            submit={t("action.remove")}
            onCancel={close}
            onSubmit={async () => {
              await call("tokens.remove", { params: { uid } })
              changed("tokens.list")
              void go({ to: "/cards" as never })
            }}
          >
            <p>{t("card.removeText")}</p>
          </Form>
        </Dialog>
      ) : null}
    </Side>
  )
}
