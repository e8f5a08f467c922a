/** Pages and their addresses. Each page is a file of its own, loaded when it is opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  type RouteComponent
} from "@tanstack/react-router"
import { queries } from "../live/store.ts"
import { Failed, Loading } from "../parts/States.tsx"
import { t } from "../text/text.ts"
import { meQuery } from "./me.ts"
import { Shell } from "./Shell.tsx"

/** Keeps the query parameters that are plain values, as text; leaves out anything else. */
const words = (search: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([key, value]) =>
      typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? [[key, String(value)]] : []
    )
  )

const Unknown = () => (
  <section className="page">
    <h1>{t("page.unknown")}</h1>
    <p className="secondary">{t("page.unknownText")}</p>
  </section>
)

const Broken = ({ error, reset }: ErrorComponentProps) => (
  <section className="page">
    <Failed what={t("page.broken")} error={error} retry={reset} />
  </section>
)

const root = createRootRoute({ notFoundComponent: Unknown, errorComponent: Broken, validateSearch: words })

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  pendingComponent: () => <Loading />,
  loader: () => queries.ensureQueryData(meQuery)
})

type Load = () => Promise<Readonly<Record<string, unknown>>>
const lazy = (load: Load, name: string): RouteComponent =>
  lazyRouteComponent(load as never, name as never) as RouteComponent

const page = (path: string, load: Load, name: string) =>
  createRoute({ getParentRoute: () => shell, path, component: lazy(load, name) })

/** A list, with the detail of one item beside it. What was typed or chosen for an item, such as an open dialog, ends with it. */
const list = (path: string, load: Load, name: string, detail: Load, detailName: string) => {
  const parent = page(path, load, name)
  return parent.addChildren([
    createRoute({
      getParentRoute: () => parent,
      path: "$id",
      component: lazy(detail, detailName),
      remountDeps: ({ params }) => params
    })
  ])
}

const open = (path: string, name: string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazy(() => import("../pages/Entry.tsx"), name)
  })

const settings = page("/settings", () => import("../pages/settings/Settings.tsx"), "Settings")
const setting = (path: string, load: Load, name: string) =>
  createRoute({ getParentRoute: () => settings, path, component: lazy(load, name) })

export const router = createRouter({
  routeTree: root.addChildren([
    open("/sign-in", "SignIn"),
    createRoute({
      getParentRoute: () => root,
      path: "/sign-in/return",
      component: lazy(() => import("../pages/SignOn.tsx"), "SignOnReturn")
    }),
    open("/set-up", "SetUp"),
    open("/invitation", "Invitation"),
    shell.addChildren([
      page("/", () => import("../pages/Overview.tsx"), "Overview"),
      page("/work", () => import("../pages/Work.tsx"), "Work"),
      list(
        "/chargers",
        () => import("../pages/Chargers.tsx"),
        "Chargers",
        () => import("../pages/Charger.tsx"),
        "Charger"
      ),
      list(
        "/sites",
        () => import("../pages/Sites.tsx"),
        "Sites",
        () => import("../pages/Site.tsx"),
        "Site"
      ),
      list(
        "/sessions",
        () => import("../pages/Sessions.tsx"),
        "Sessions",
        () => import("../pages/Session.tsx"),
        "Session"
      ),
      page("/reservations", () => import("../pages/Reservations.tsx"), "Reservations"),
      page("/files-and-firmware", () => import("../pages/Files.tsx"), "Files"),
      list(
        "/files-and-firmware/campaigns",
        () => import("../pages/rollout/Rollouts.tsx"),
        "Campaigns",
        () => import("../pages/rollout/Rollout.tsx"),
        "Campaign"
      ),
      list(
        "/files-and-firmware/batches",
        () => import("../pages/rollout/Rollouts.tsx"),
        "Batches",
        () => import("../pages/rollout/Rollout.tsx"),
        "Batch"
      ),
      list(
        "/tariffs",
        () => import("../pages/Tariffs.tsx"),
        "Tariffs",
        () => import("../pages/Tariff.tsx"),
        "Tariff"
      ),
      list(
        "/cdrs",
        () => import("../pages/Cdrs.tsx"),
        "Cdrs",
        () => import("../pages/Cdr.tsx"),
        "Cdr"
      ),
      list(
        "/cards",
        () => import("../pages/Cards.tsx"),
        "Cards",
        () => import("../pages/Card.tsx"),
        "Card"
      ),
      list(
        "/roaming",
        () => import("../pages/Partners.tsx"),
        "Partners",
        () => import("../pages/Partner.tsx"),
        "Partner"
      ),
      page("/card-attempts", () => import("../pages/Attempts.tsx"), "Attempts"),
      page("/events", () => import("../pages/Events.tsx"), "Events"),
      page("/events/webhooks", () => import("../pages/Webhooks.tsx"), "Webhooks"),
      page("/audit-log", () => import("../pages/AuditLog.tsx"), "AuditLog"),
      settings.addChildren([
        setting("/", () => import("../pages/settings/Organisation.tsx"), "Organisation"),
        setting("operators", () => import("../pages/settings/Operators.tsx"), "Operators"),
        setting("single-sign-on", () => import("../pages/settings/SingleSignOn.tsx"), "SingleSignOn"),
        setting("developer", () => import("../pages/settings/Developer.tsx"), "Developer"),
        setting("profile", () => import("../pages/settings/Profile.tsx"), "Profile"),
        setting("configuration", () => import("../pages/settings/Template.tsx"), "Template"),
        setting("quirks", () => import("../pages/settings/Quirks.tsx"), "Quirks"),
        setting("about", () => import("../pages/settings/About.tsx"), "About")
      ]),
      createRoute({ getParentRoute: () => shell, path: "$", component: Unknown })
    ])
  ]),
  defaultPreload: "intent",
  defaultPendingMs: 300,
  scrollRestoration: false
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
