/** Settings: the organisation, its people, the developer area and the person's own settings. */
import { Link, Outlet } from "@tanstack/react-router"
import { useTitle } from "../../parts/Page.tsx"
import { t } from "../../text/text.ts"

const tabs = [
  ["", "settings.organisation"],
  ["operators", "settings.operators"],
  ["single-sign-on", "signOn.title"],
  ["developer", "settings.developer"],
  ["configuration", "settings.configuration"],
  ["quirks", "quirks.title"],
  ["profile", "settings.profile"],
  ["about", "settings.about"]
] as const

export const Settings = () => {
  useTitle(t("place.settings"))
  return (
    <section className="page scrolls settings" aria-label={t("place.settings")}>
      <h1>{t("place.settings")}</h1>
      <nav className="tab-row" aria-label={t("place.settings")}>
        {tabs.map(([path, label]) => (
          <Link
            key={path}
            to={(path === "" ? "/settings" : `/settings/${path}`) as never}
            className="tab-link"
            activeOptions={{ exact: true, includeSearch: false }}
            activeProps={{ className: "tab-link on", "aria-current": "page" }}
          >
            {t(label)}
          </Link>
        ))}
      </nav>
      <Outlet />
    </section>
  )
}
