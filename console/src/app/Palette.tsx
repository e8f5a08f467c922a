/**
 * One list of places, actions, chargers, sites and search results of the service. Chargers and places come from memory, the rest is searched while
 * the person types; `>` shows actions only.
 */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useDeferredValue, useId, useMemo, useRef, useState } from "react"
import { call } from "../api/client.ts"
import type { Answer } from "../api/types.ts"
import type { Row } from "../live/fleet.ts"
import { useLive } from "../live/store.ts"
import { Dialog } from "../parts/Dialog.tsx"
import { type IconName, Icon } from "../parts/Icon.tsx"
import { Shape, stateLabel } from "../parts/Status.tsx"
import { placeOf, useViews } from "../parts/Views.tsx"
import { t, word } from "../text/text.ts"
import { places } from "./Shell.tsx"

interface Entry {
  readonly id: string
  readonly icon: IconName
  readonly mark?: React.ReactNode
  readonly title: string
  readonly sub: string
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
  readonly isAction?: boolean
}

const shownRows = 40
const recentAt = "voltlane.recent"

const recentIds = (): ReadonlyArray<string> => {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(recentAt) ?? "[]")
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string") : []
  } catch {
    return []
  }
}
const note = (id: string): void => {
  try {
    sessionStorage.setItem(recentAt, JSON.stringify([id, ...recentIds().filter((one) => one !== id)].slice(0, 8)))
  } catch {
    // Without storage there are no recent entries, and the places keep their own order.
  }
}

const actions = (): ReadonlyArray<Entry> =>
  (
    [
      ["start", "sessions", t("palette.start"), "/chargers", { do: "start" }],
      ["add-charger", "chargers", t("charger.add"), "/chargers", { do: "add" }],
      ["add-site", "sites", t("site.add"), "/sites", { do: "add" }],
      ["add-card", "cards", t("card.add"), "/cards", { do: "add" }],
      ["card-attempts", "cards", t("attempt.many"), "/card-attempts", {}],
      ["reserve", "reservations", t("reservation.add"), "/reservations", { do: "add" }],
      ["add-tariff", "tariffs", t("tariff.add"), "/tariffs", { do: "add" }],
      ["add-partner", "roaming", t("partner.add"), "/roaming", { do: "add" }],
      ["add-key", "settings", t("key.add"), "/settings/developer", { do: "add" }],
      ["invite", "settings", t("operator.invite"), "/settings/operators", { do: "add" }],
      ["add-campaign", "files", t("rollout.newCampaign"), "/files-and-firmware/campaigns", { do: "add" }],
      ["add-webhook", "events", t("webhook.add"), "/events/webhooks", { do: "add" }]
    ] as const
  ).map(([id, icon, title, to, search]) => ({
    id: `action:${id}`,
    icon,
    title,
    sub: t("palette.action"),
    to,
    search,
    isAction: true
  }))

/** How many letters of the start word must be typed before the palette offers to start a session. */
const startLetters = 4

const isStartWord = (typed: string): boolean =>
  typed.length >= startLetters && t("palette.startWord").toLowerCase().startsWith(typed)

const aboutCharger = ({ id, siteName, state }: Row): string =>
  [id, siteName, stateLabel(state)].filter(Boolean).join(" · ")

/** Entries that start a session, one for each connected charger. */
const startsAt = (rows: ReadonlyArray<Row>): ReadonlyArray<Entry> =>
  rows
    .filter(({ connected }) => connected)
    .map((row) => ({
      id: `start:${row.id}`,
      icon: "sessions",
      title: t("palette.startAt", { charger: row.name }),
      sub: aboutCharger(row),
      to: `/chargers/${encodeURIComponent(row.id)}`,
      search: { do: "start" }
    }))

const icons = {
  charger: "chargers",
  site: "sites",
  session: "sessions",
  token: "cards",
  cdr: "cdrs",
  partner: "roaming",
  tariff: "tariffs",
  operator: "settings"
} as const satisfies Readonly<Record<Answer<"search.find">["items"][number]["kind"], IconName>>

const foundEntry = ({ id, kind, path, subtitle, title }: Answer<"search.find">["items"][number]): Entry => ({
  id: `${kind}:${id}`,
  icon: icons[kind],
  title,
  sub: [word("found", kind), subtitle].filter(Boolean).join(" · "),
  to: path
})

export const Palette = ({ onClose }: { readonly onClose: () => void }) => {
  const { rows } = useLive()
  const { data: views } = useViews()
  const go = useNavigate()
  const [typed, setTyped] = useState("")
  const [at, setAt] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const id = useId()
  // Results from memory follow each key at once: Enter must not choose an entry that matched an earlier text.
  const words = typed.replace(/^>/, "").trim().toLowerCase()
  const asked = useDeferredValue(words)
  const onlyActions = typed.startsWith(">")
  const { data: answer } = useQuery({
    queryKey: ["search.find", asked],
    enabled: asked.length >= 2 && !onlyActions,
    staleTime: 30_000,
    queryFn: ({ signal }) => call("search.find", { query: { q: asked } }, signal)
  })
  const all = useMemo(() => {
    const own: ReadonlyArray<Entry> = places.flatMap(([, some]) =>
      some.map(({ icon, label, to }) => ({
        id: `place:${to}`,
        icon,
        title: t(label as "place.work"),
        sub: t("palette.place"),
        to
      }))
    )
    const chargers = rows.map((row): Entry => ({
      id: `charger:${row.id}`,
      icon: "chargers",
      mark: <Shape state={row.state} />,
      title: row.name,
      sub: aboutCharger(row),
      to: `/chargers/${encodeURIComponent(row.id)}`
    }))
    const sites = [...new Map(rows.map(({ siteId, siteName }) => [siteId, siteName]))].flatMap(
      ([siteId, name]): ReadonlyArray<Entry> =>
        siteId === "" || name === ""
          ? []
          : [
              {
                id: `site:${siteId}`,
                icon: "sites",
                title: name,
                sub: word("found", "site"),
                to: `/sites/${encodeURIComponent(siteId)}`
              }
            ]
    )
    const kept = (views?.items ?? []).map((view): Entry => ({
      id: `view:${view.id}`,
      icon: "work",
      title: view.name,
      sub: word("found", "view"),
      ...placeOf(view.path)
    }))
    return onlyActions ? actions() : [...own, ...kept, ...actions(), ...sites, ...chargers]
  }, [rows, onlyActions, views])
  const found = useMemo(() => {
    const parts = words.split(/\s+/).filter(Boolean)
    const fits = ({ sub, title }: Entry) => {
      const text = `${title} ${sub}`.toLowerCase()
      return parts.every((part) => text.includes(part))
    }
    if (parts.length === 0) {
      const recent = recentIds()
      const order = ({ id: one }: Entry) => (recent.includes(one) ? recent.indexOf(one) : recent.length)
      return [...all].sort((a, b) => order(a) - order(b)).slice(0, shownRows)
    }
    // Entries whose name equals the text come first, then those whose name begins with it: so a site comes before its chargers.
    const rank = ({ title }: Entry) =>
      title.toLowerCase() === words ? 0 : title.toLowerCase().startsWith(words) ? 1 : 2
    // Only if the text begins with the start word: otherwise each charger would be listed twice.
    const isStart = isStartWord(parts[0]!) && (parts.length > 1 || typed.endsWith(" "))
    const fitting = [...(isStart ? startsAt(rows) : []), ...all].filter(fits)
    // Chargers and their sites come from memory, which is up to date.
    const known = new Set(fitting.map((entry) => entry.id))
    const more = (asked === words ? (answer?.items ?? []) : [])
      .filter(({ kind }) => kind !== "charger")
      .map(foundEntry)
      .filter((entry) => !known.has(entry.id))
    return [...fitting]
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, shownRows)
      .concat(more)
  }, [all, rows, words, typed, asked, answer])
  const chosen = Math.min(at, found.length - 1)
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return
    if (entry.id === "action:start") {
      setTyped(`${t("palette.startWord")} `)
      setAt(0)
      return
    }
    note(entry.id)
    onClose()
    void go({ to: entry.to as never, search: (entry.search ?? {}) as never })
  }
  return (
    <Dialog title={t("palette.title")} onClose={onClose} isLight>
      <input
        className="palette-field"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${chosen}`}
        aria-label={t("shell.search")}
        placeholder={t("palette.hint")}
        autoFocus
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
          if (step !== 0) {
            event.preventDefault()
            const next = (chosen + step + found.length) % Math.max(1, found.length)
            setAt(next)
            list.current?.children[next]?.scrollIntoView({ block: "nearest" })
          } else if (event.key === "Enter") {
            event.preventDefault()
            choose(found[chosen])
          }
        }}
      />
      <ul className="palette" role="listbox" id={`${id}-list`} ref={list} aria-label={t("palette.title")}>
        {found.map((entry, index) => (
          <li
            key={entry.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onMouseMove={() => setAt(index)}
            onClick={() => choose(entry)}
          >
            {entry.mark ?? <Icon name={entry.icon} />}
            <bdi>{entry.title}</bdi>
            <small>
              <bdi>{entry.sub}</bdi>
            </small>
          </li>
        ))}
        {found.length === 0 ? <li className="none">{t("filter.none")}</li> : null}
      </ul>
    </Dialog>
  )
}
