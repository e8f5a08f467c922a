/** Firmware that chargers fetch, and the diagnostics and logs that they sent. */
import { useRef, useState } from "react"
import { call, Problem, urlOf } from "../api/client.ts"
import type { Asked } from "../api/types.ts"
import { changed } from "../live/store.ts"
import { Act } from "../parts/Act.tsx"
import { Outside } from "../parts/Facts.tsx"
import { bytes } from "../parts/format.ts"
import { Icon } from "../parts/Icon.tsx"
import { Head, Lenses, PagedTable, useTitle } from "../parts/Page.tsx"
import { type Item, useFilters, usePages } from "../parts/pages.ts"
import { Empty, problemText } from "../parts/States.tsx"
import type { Column } from "../parts/Table.tsx"
import { Moment } from "../parts/Time.tsx"
import { t, word } from "../text/text.ts"
import { FirmwarePlaces } from "./rollout/Places.tsx"

type Stored = Item<"files.list">

export const Files = () => {
  const [filters] = useFilters()
  const [said, setSaid] = useState("")
  const chooser = useRef<HTMLInputElement>(null)
  useTitle(t("place.files"))
  const { kind } = filters
  const pages = usePages("files.list", { query: kind === undefined ? {} : { kind } })
  const upload = async (file: File) => {
    setSaid(t("file.sending", { name: file.name }))
    try {
      const answer = await fetch(
        urlOf("files.store", { query: { name: file.name } } as unknown as Asked<"files.store">),
        {
          method: "POST",
          credentials: "same-origin",
          headers: { "content-type": "application/octet-stream" },
          body: file
        }
      )
      if (!answer.ok) throw new Problem(answer.status, (await answer.json()) as Readonly<Record<string, unknown>>)
      setSaid(t("file.stored", { name: file.name }))
      changed("files.list")
    } catch (error) {
      setSaid(problemText(error))
    }
  }
  const columns: ReadonlyArray<Column<Stored>> = [
    {
      id: "name",
      title: t("field.name"),
      phone: "name",
      cell: ({ id, name, state }) =>
        state === "Stored" ? (
          <a className="row-link" href={urlOf("files.content", { params: { id } })} download={name}>
            <Outside>{name}</Outside>
          </a>
        ) : (
          <Outside>{name}</Outside>
        )
    },
    { id: "kind", title: t("file.kind"), width: "120px", phone: "side", cell: (one) => word("fileKind", one.kind) },
    {
      id: "charger",
      title: t("charger.one"),
      phone: "second",
      cell: ({ chargerId }) => <Outside>{chargerId ?? ""}</Outside>
    },
    {
      id: "size",
      title: t("file.size"),
      width: "110px",
      align: "right",
      phone: "value",
      cell: ({ size }) => bytes(size)
    },
    {
      id: "hash",
      title: "SHA-256",
      width: "150px",
      from: "wide",
      cell: ({ sha256 }) => (sha256 === null ? null : <code title={sha256}>{sha256.slice(0, 12)}…</code>)
    },
    {
      id: "state",
      title: t("charger.state"),
      width: "140px",
      from: "medium",
      cell: ({ progress, state }) => progress?.status ?? word("fileState", state)
    },
    { id: "created", title: t("field.created"), width: "150px", cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      id: "act",
      title: t("table.act"),
      width: "110px",
      cell: ({ id }) => (
        <Act
          needs={["files.remove"]}
          kind="small"
          onClick={() =>
            void call("files.remove", { params: { id } })
              .then(() => changed("files.list"))
              .catch((error: unknown) => setSaid(problemText(error)))
          }
        >
          {t("action.remove")}
        </Act>
      )
    }
  ]
  return (
    <section className="page list" aria-label={t("place.files")}>
      <Head title={t("place.files")} summary={said === "" ? t("file.about") : <span role="status">{said}</span>}>
        <Act needs={["files.store"]} kind="main" onClick={() => chooser.current?.click()}>
          <Icon name="plus" />
          <span>{t("file.upload")}</span>
        </Act>
        <input
          ref={chooser}
          type="file"
          hidden
          aria-label={t("file.upload")}
          onChange={({ target }) => {
            const file = target.files?.[0]
            if (file !== undefined) void upload(file)
            target.value = ""
          }}
        />
      </Head>
      <div className="filters">
        <FirmwarePlaces on="files" />
        <Lenses
          keys={["kind"]}
          lenses={[
            { label: t("filter.all"), filters: {} },
            ...(["Firmware", "Diagnostics", "Log"] as const).map((one) => ({
              label: word("fileKind", one),
              filters: { kind: one }
            }))
          ]}
        />
      </div>
      <PagedTable
        what={t("file.notRead")}
        label={t("place.files")}
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        isFiltered={kind !== undefined}
        empty={<Empty title={t("file.noneYet")} text={t("file.noneYetText")} />}
      />
    </section>
  )
}
