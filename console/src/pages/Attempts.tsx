/** The answers that cards got, newest first: each authorisation request before a session, and each start. */
import { Link } from "@tanstack/react-router"
import { useChargerNames } from "../live/store.ts"
import { Outside } from "../parts/Facts.tsx"
import { Head, Lenses, PagedTable, useTitle } from "../parts/Page.tsx"
import { type Item, useFilters, usePages } from "../parts/pages.ts"
import { Empty } from "../parts/States.tsx"
import { Pill } from "../parts/Status.tsx"
import type { Column } from "../parts/Table.tsx"
import { Moment } from "../parts/Time.tsx"
import { t, word } from "../text/text.ts"

type Attempt = Item<"authorizations.list">

export const Attempts = () => {
  const [{ refused }] = useFilters()
  useTitle(t("attempt.many"))
  const pages = usePages("authorizations.list", { query: refused === undefined ? {} : { refused } })
  const names = useChargerNames()
  const columns: ReadonlyArray<Column<Attempt>> = [
    { id: "at", title: t("attempt.at"), width: "150px", cell: ({ at }) => <Moment at={at} /> },
    {
      id: "card",
      title: t("card.one"),
      phone: "name",
      cell: ({ tokenUid }) => (
        <Link className="row-link" to={`/cards/${encodeURIComponent(tokenUid)}` as never} search={{} as never}>
          <Outside mono>{tokenUid}</Outside>
        </Link>
      )
    },
    {
      id: "answer",
      title: t("attempt.answer"),
      width: "170px",
      phone: "side",
      cell: ({ answer }) => <Pill tone={answer === "Accepted" ? "ok" : "bad"}>{word("cardStatus", answer)}</Pill>
    },
    {
      id: "charger",
      title: t("charger.one"),
      phone: "second",
      cell: ({ chargerId }) => (
        <Link to={`/chargers/${encodeURIComponent(chargerId)}` as never} search={{} as never}>
          <Outside>{names.get(chargerId) ?? chargerId}</Outside>
        </Link>
      )
    },
    {
      id: "kind",
      title: t("attempt.kind"),
      width: "150px",
      phone: "value",
      cell: ({ kind }) => word("attemptKind", kind)
    },
    {
      id: "source",
      title: t("attempt.source"),
      width: "180px",
      from: "medium",
      cell: ({ source }) => word("attemptSource", source)
    }
  ]
  return (
    <section className="page list" aria-label={t("attempt.many")}>
      <Head
        title={t("attempt.many")}
        summary={
          <Link to={"/cards" as never} search={{} as never}>
            {t("place.cards")}
          </Link>
        }
      />
      <div className="filters">
        <Lenses
          keys={["refused"]}
          lenses={[
            { label: t("filter.all"), filters: { refused: undefined } },
            { label: t("attempt.refused"), filters: { refused: "true" } }
          ]}
        />
      </div>
      <PagedTable
        what={t("attempt.notRead")}
        label={t("attempt.many")}
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        isFiltered={refused !== undefined}
        empty={<Empty title={t("attempt.none")} text={t("attempt.noneText")} />}
      />
    </section>
  )
}
