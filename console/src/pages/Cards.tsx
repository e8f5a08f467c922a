/** Cards and other tokens of drivers: add one or many, block, and see why one cannot charge. */
import { Link } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { call } from "../api/client.ts"
import { changed } from "../live/store.ts"
import { Act } from "../parts/Act.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Outside } from "../parts/Facts.tsx"
import { CheckBox, Form, Select, TextArea, TextField } from "../parts/Form.tsx"
import { Icon } from "../parts/Icon.tsx"
import { FilterField, Head, Lenses, PagedTable, Split, useOpen, useTitle } from "../parts/Page.tsx"
import { type Item, useFilters, usePages } from "../parts/pages.ts"
import { Empty, problemText } from "../parts/States.tsx"
import { Pill, type Tone } from "../parts/Status.tsx"
import type { Column } from "../parts/Table.tsx"
import { Moment } from "../parts/Time.tsx"
import { t, tn, word } from "../text/text.ts"
import { type CardFields, cardOf, fieldsOf } from "./card/fields.ts"

type Card = Item<"tokens.list">

export const cardTone = (status: string): Tone => (status === "Accepted" ? "ok" : status === "Blocked" ? "bad" : "wait")

const columns = (): ReadonlyArray<Column<Card>> => [
  {
    id: "uid",
    title: t("card.one"),
    phone: "name",
    isLink: true,
    cell: ({ uid }) => <Outside mono>{uid}</Outside>
  },
  {
    id: "status",
    title: t("charger.state"),
    width: "130px",
    phone: "side",
    cell: ({ status }) => <Pill tone={cardTone(status)}>{word("cardStatus", status)}</Pill>
  },
  { id: "note", title: t("card.note"), phone: "second", cell: ({ note }) => <Outside>{note ?? ""}</Outside> },
  {
    id: "number",
    title: t("card.number"),
    from: "medium",
    cell: ({ visualNumber }) => <Outside>{visualNumber ?? ""}</Outside>
  },
  {
    id: "group",
    title: t("card.group"),
    from: "wide",
    cell: ({ parentUid }) => <Outside mono>{parentUid ?? ""}</Outside>
  },
  { id: "type", title: t("card.type"), width: "110px", from: "wide", cell: ({ type }) => word("cardType", type) },
  { id: "expires", title: t("card.expires"), width: "140px", cell: ({ expiresAt }) => <Moment at={expiresAt} /> }
]

const types = ["RFID", "APP_USER", "AD_HOC_USER", "OTHER"] as const

export const Cards = () => {
  const [filters, set] = useFilters()
  const open = useOpen()
  useTitle(t("place.cards"))
  const query = {
    ...(filters["status"] === undefined ? {} : { status: filters["status"] }),
    ...(filters["q"] === undefined ? {} : { q: filters["q"] })
  }
  const pages = usePages("tokens.list", { query })
  const table = useMemo(columns, [])
  const close = () => set({ do: undefined })
  return (
    <Split label={t("place.cards")}>
      <Head
        title={t("place.cards")}
        summary={
          <Link to={"/card-attempts" as never} search={{} as never}>
            {t("attempt.many")}
          </Link>
        }
      >
        <Act needs={["tokens.create"]} onClick={() => set({ do: "many" })}>
          {t("card.addMany")}
        </Act>
        <Act needs={["tokens.create"]} kind="main" onClick={() => set({ do: "add" })}>
          <Icon name="plus" />
          <span>{t("card.add")}</span>
        </Act>
      </Head>
      <div className="filters">
        <Lenses
          keys={["status"]}
          lenses={[
            { label: t("filter.all"), filters: {} },
            ...(["Accepted", "Blocked", "Expired"] as const).map((status) => ({
              label: word("cardStatus", status),
              filters: { status }
            }))
          ]}
        />
        <FilterField label={t("card.filter")} />
      </div>
      <PagedTable
        what={t("card.notRead")}
        label={t("place.cards")}
        pages={pages}
        columns={table}
        keyOf={({ uid }) => uid}
        hrefOf={({ uid }) => `/cards/${encodeURIComponent(uid)}`}
        open={open}
        isFiltered={Object.keys(query).length > 0}
        empty={<Empty title={t("card.noneYet")} text={t("card.noneYetText")} />}
      />
      {filters["do"] === "add" ? (
        <Dialog title={t("card.add")} onClose={close}>
          <CardForm
            submit={t("card.add")}
            onCancel={close}
            onSubmit={async (typed, _, uid) => {
              await call("tokens.create", { body: { uid, ...cardOf(typed) } })
              changed("tokens.list")
              close()
            }}
          />
        </Dialog>
      ) : null}
      {filters["do"] === "many" ? <Many onClose={close} /> : null}
    </Split>
  )
}

/** The form keeps what it showed when it was opened: the card may change meanwhile, and that is no change of the person who types. */
export const CardForm = ({
  card,
  onCancel,
  onSubmit,
  submit
}: {
  readonly card?: Card
  readonly submit: string
  readonly onCancel: () => void
  readonly onSubmit: (typed: CardFields, shown: CardFields, uid: string) => Promise<unknown>
}) => {
  const [shown] = useState(() => fieldsOf(card))
  return (
    <Form
      submit={submit}
      onCancel={onCancel}
      fields={["uid", "type", "note", "visualNumber", "parentUid", "expiresAt"]}
      onSubmit={(values) =>
        onSubmit(
          {
            type: values.text("type") as CardFields["type"],
            note: values.text("note"),
            visualNumber: values.text("visualNumber"),
            parentUid: values.text("parentUid"),
            expiresOn: values.text("expiresAt"),
            isBlocked: values.checked("blocked")
          },
          shown,
          values.text("uid").trim()
        )
      }
    >
      {card === undefined ? (
        <TextField
          name="uid"
          label={t("card.uid")}
          hint={t("card.uidHint")}
          required
          autoFocus
          maxLength={20}
          spellCheck={false}
        />
      ) : null}
      <TextField name="note" label={t("card.note")} hint={t("card.noteHint")} defaultValue={shown.note} />
      <TextField name="visualNumber" label={t("card.number")} defaultValue={shown.visualNumber} />
      <TextField name="parentUid" label={t("card.group")} hint={t("card.groupHint")} defaultValue={shown.parentUid} />
      <Select
        name="type"
        label={t("card.type")}
        defaultValue={shown.type}
        options={types.map((type) => [type, word("cardType", type)] as const)}
      />
      <TextField name="expiresAt" label={t("card.expires")} type="date" defaultValue={shown.expiresOn} />
      <CheckBox name="blocked" label={t("card.blocked")} defaultChecked={shown.isBlocked} />
    </Form>
  )
}

/** Adds many cards: one per line, with a note after a comma. */
const Many = ({ onClose }: { readonly onClose: () => void }) => {
  const [outcome, setOutcome] = useState<
    { readonly added: number; readonly refused: ReadonlyArray<string> } | undefined
  >()
  return (
    <Dialog title={t("card.addMany")} onClose={onClose}>
      {outcome === undefined ? (
        <Form
          submit={t("card.addMany")}
          onCancel={onClose}
          onSubmit={async (values) => {
            const refused: Array<string> = []
            let added = 0
            for (const line of values.text("lines").split("\n")) {
              const [uid = "", ...note] = line.split(/[,;\t]/).map((part) => part.trim())
              if (uid === "") continue
              try {
                await call("tokens.create", {
                  body: { uid, ...(note.join(" ") === "" ? {} : { note: note.join(" ") }) }
                })
                added++
              } catch (error) {
                refused.push(`${uid}: ${problemText(error)}`)
              }
            }
            changed("tokens.list")
            setOutcome({ added, refused })
          }}
        >
          <TextArea name="lines" label={t("card.lines")} hint={t("card.linesHint")} rows={8} required autoFocus />
        </Form>
      ) : (
        <>
          <p role="status">{tn("card.added", outcome.added)}</p>
          <ul className="outcomes">
            {outcome.refused.map((one) => (
              <li key={one} className="trouble">
                {one}
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  )
}
