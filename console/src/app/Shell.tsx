/** The frame of every page: where the person is, where they can go, and whether the page is live. */
import { Link, Outlet, useNavigate } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useState } from "react"
import { call, whenFactorAsked } from "../api/client.ts"
import { dismiss, phase, useFollowed } from "../live/commands.ts"
import { factorShown, useIsFactorAsked } from "../live/factor.ts"
import { startLive, useLive } from "../live/store.ts"
import { copied } from "../parts/clipboard.ts"
import { hourMinute } from "../parts/format.ts"
import { Icon, type IconName } from "../parts/Icon.tsx"
import { type Key, setLanguage, languageOf, t, tn, word } from "../text/text.ts"
import { may, personName, useMe } from "./me.ts"
import { listenForShortcuts, useShortcut } from "./shortcuts.ts"
import { turnTheme } from "./theme.ts"
import { beginAnew, leaveTo, showing, shownNoMore } from "./whoHere.ts"
import { counted, useWork, waitingOf } from "./work.ts"

const palette = () => import("./Palette.tsx").then(({ Palette: it }) => ({ default: it }))
const Palette = lazy(palette)

/** The palette is fetched once the first page has settled, so that typing into it does not have to wait for it. */
const paletteMillis = 1_500
const Help = lazy(() => import("./Help.tsx").then(({ Help: it }) => ({ default: it })))
const ShowFactor = lazy(() => import("./ShowFactor.tsx").then(({ ShowFactor: it }) => ({ default: it })))
const Person = lazy(() => import("./Person.tsx").then(({ Person: it }) => ({ default: it })))

export interface Place {
  readonly icon: IconName
  readonly label: Key
  readonly to: string
  readonly keys: string
}

const place = (icon: IconName, label: Key, to: string, keys: string): Place => ({ icon, label, to, keys })

export const places: ReadonlyArray<readonly [Key | undefined, ReadonlyArray<Place>]> = [
  [undefined, [place("overview", "place.overview", "/", "g o"), place("work", "place.work", "/work", "g w")]],
  [
    "place.network",
    [
      place("sites", "place.sites", "/sites", "g s"),
      place("chargers", "place.chargers", "/chargers", "g c"),
      place("sessions", "place.sessions", "/sessions", "g e"),
      place("reservations", "place.reservations", "/reservations", "g r"),
      place("files", "place.files", "/files-and-firmware", "g f")
    ]
  ],
  ["place.money", [place("tariffs", "place.tariffs", "/tariffs", "g t"), place("cdrs", "place.cdrs", "/cdrs", "g d")]],
  [
    "place.access",
    [place("cards", "place.cards", "/cards", "g k"), place("roaming", "place.roaming", "/roaming", "g p")]
  ],
  [
    "place.system",
    [
      place("events", "place.events", "/events", "g v"),
      place("audit", "place.audit", "/audit-log", "g a"),
      place("settings", "place.settings", "/settings", "g ,")
    ]
  ]
]

const phonePlaces = ["/", "/chargers", "/sessions", "/work"]
const allPlaces = places.flatMap(([, list]) => list)

const Line = () => {
  const { line, lostAt } = useLive()
  const text =
    line === "live"
      ? t("live.live")
      : line === "connecting" && lostAt === 0
        ? t("live.connecting")
        : line === "connecting"
          ? t("live.again")
          : t("live.lost", { since: hourMinute(lostAt) })
  return (
    <span className={`line-state is-${line}`} role="status">
      <i aria-hidden="true" />
      <span>{text}</span>
    </span>
  )
}

/** How many things wait for a decision, beside the place where they do. */
const Waiting = () => {
  const waiting = waitingOf(useWork())
  return waiting === 0 ? null : (
    <>
      {" "}
      <b className="waiting" title={tn("work.waiting", waiting)}>
        {counted(waiting)}
      </b>
    </>
  )
}

/** The commands that this person sent, from being sent until their effect was seen. */
const Commands = () => {
  const followed = useFollowed()
  if (followed.length === 0) return null
  return (
    <ul className="commands" aria-label={t("command.yours")} aria-live="polite">
      {followed.map(({ command }) => (
        <li key={command.id} className={`command is-${phase(command)}`}>
          <Link
            to={`/chargers/${encodeURIComponent(command.chargerId)}` as never}
            search={{ tab: "commands" } as never}
          >
            <b>{word("commandType", command.type)}</b> <bdi>{command.chargerId}</bdi>
            <span>{word("commandPhase", phase(command) === "failed" ? command.status : phase(command))}</span>
          </Link>
          <button type="button" className="ghost" aria-label={t("action.dismiss")} onClick={() => dismiss(command.id)}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  )
}

const Go = ({ place: { keys, label, to } }: { readonly place: Place }) => {
  const go = useNavigate()
  useShortcut(keys, t("key.go", { place: t(label as "place.work") }), () => void go({ to: to as never }))
  return null
}

export const signOut = async (): Promise<void> => {
  await call("sign-ins.removeCurrent", {}).catch(() => undefined)
  shownNoMore()
  leaveTo("/sign-in")
}

export const Shell = () => {
  const me = useMe()
  const [open, setOpen] = useState<"palette" | "help" | "person" | undefined>()
  const [isMoreOpen, setMore] = useState(false)
  const { line, lostAt } = useLive()
  const isFactorAsked = useIsFactorAsked()
  useEffect(() => listenForShortcuts(), [])
  useEffect(() => {
    const timer = setTimeout(() => void palette().catch(() => undefined), paletteMillis)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => whenFactorAsked(factorShown), [])
  useEffect(() => showing(me), [me.organisation.id, me.operator?.id])
  useEffect(() => {
    startLive(me.organisation.id, (name) => may(me, name), beginAnew)
    // A visit to any page counts as a visit.
    void import("../live/since.ts").then(({ lastVisit }) => lastVisit(me.organisation.id, me.operator?.id ?? "key"))
  }, [me.organisation.id])
  useEffect(() => void setLanguage(languageOf(me.operator?.locale ?? navigator.language)), [me.operator?.locale])
  useShortcut("Ctrl+K", t("key.palette"), () => setOpen("palette"))
  useShortcut("?", t("key.help"), () => setOpen("help"))
  useShortcut("y", t("action.copyLink"), () => void copyLink())
  const [isCopied, setCopied] = useState(false)
  const copyLink = async () => {
    if (!(await copied(location.href))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  const close = () => setOpen(undefined)
  const initials = personName(me)
    .split(/\s+/)
    .map((part) => part.slice(0, 1))
    .slice(0, 2)
    .join("")
    .toUpperCase()
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {t("shell.skip")}
      </a>
      {allPlaces.map((one) => (
        <Go key={one.to} place={one} />
      ))}
      <nav
        className={`rail${isMoreOpen ? " is-open" : ""}`}
        aria-label={t("shell.main")}
        onClick={() => setMore(false)}
      >
        <Link className="mark" aria-label={t("shell.home")} to={"/" as never}>
          <img src="/mark.svg" width="22" height="22" alt="" />
          <b>Voltlane</b>
        </Link>
        {places.map(([title, list]) => (
          <section
            key={title ?? "start"}
            aria-label={title === undefined ? t("shell.start") : t(title as "place.money")}
          >
            {title === undefined ? null : <h2>{t(title as "place.money")}</h2>}
            {list.map(({ icon, keys, label, to }) => (
              <Link
                key={to}
                to={to as never}
                className="place"
                activeProps={{ className: "place here", "aria-current": "page" }}
                activeOptions={{ exact: to === "/", includeSearch: false }}
                title={`${t(label as "place.work")} (${keys})`}
              >
                <Icon name={icon} />
                <span>{t(label as "place.work")}</span>
                {to === "/work" ? <Waiting /> : null}
              </Link>
            ))}
          </section>
        ))}
      </nav>
      <header className="bar">
        <span className="organisation">
          <bdi>{me.organisation.name}</bdi>
        </span>
        <button type="button" className="finder" aria-keyshortcuts="Control+K" onClick={() => setOpen("palette")}>
          <Icon name="search" />
          <span>{t("shell.search")}</span>
          <kbd aria-hidden="true">Ctrl K</kbd>
        </button>
        <Line />
        <button
          type="button"
          className={`ghost copy-link${isCopied ? " done" : ""}`}
          onClick={() => void copyLink()}
          aria-label={t("action.copyLink")}
          aria-keyshortcuts="y"
          title={`${t("action.copyLink")} (y)`}
        >
          <Icon name={isCopied ? "check" : "copy"} />
        </button>
        <span className="hide" role="status">
          {isCopied ? t("action.copiedLink") : ""}
        </span>
        <button
          type="button"
          className="ghost"
          onClick={turnTheme}
          aria-label={t("shell.theme")}
          title={t("shell.theme")}
        >
          <Icon name="theme" />
        </button>
        <button
          type="button"
          className="me"
          aria-label={t("shell.account", { name: personName(me) })}
          onClick={() => setOpen("person")}
        >
          {initials}
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        {line === "lost" && lostAt > 0 ? (
          <p className="not-live" role="status">
            {t("live.asOf", { since: hourMinute(lostAt) })}
          </p>
        ) : null}
        <Suspense fallback={null}>
          <Outlet />
        </Suspense>
      </main>
      <Commands />
      <nav className="foot" aria-label={t("shell.short")}>
        {allPlaces
          .filter(({ to }) => phonePlaces.includes(to))
          .map(({ icon, label, to }) => (
            <Link
              key={to}
              to={to as never}
              className="foot-tab"
              activeProps={{ className: "foot-tab here", "aria-current": "page" }}
              activeOptions={{ exact: to === "/", includeSearch: false }}
            >
              <Icon name={icon} />
              <span>{t(label as "place.work")}</span>
              {to === "/work" ? <Waiting /> : null}
            </Link>
          ))}
        <button type="button" className="foot-tab" aria-expanded={isMoreOpen} onClick={() => setMore(!isMoreOpen)}>
          <Icon name="more" />
          <span>{t("place.more")}</span>
        </button>
      </nav>
      <Suspense fallback={null}>
        {open === "palette" ? <Palette onClose={close} /> : null}
        {open === "help" ? <Help onClose={close} /> : null}
        {open === "person" ? <Person onClose={close} /> : null}
        {isFactorAsked ? <ShowFactor /> : null}
      </Suspense>
    </div>
  )
}
