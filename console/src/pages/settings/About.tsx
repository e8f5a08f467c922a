/** The running version, and links to further reading. */
import { useMe } from "../../app/me.ts"
import { useLive } from "../../live/store.ts"
import { Facts } from "../../parts/Facts.tsx"
import { count } from "../../parts/format.ts"
import { t, word } from "../../text/text.ts"

export const About = () => {
  const me = useMe()
  const { line, rows } = useLive()
  return (
    <section className="card narrow">
      <h2>Voltlane</h2>
      <Facts
        rows={[
          [t("about.version"), me.version],
          [t("place.chargers"), count(rows.length)],
          [t("about.line"), word("line", line)],
          [t("developer.rest"), <code key="rest">{me.addresses.rest}</code>]
        ]}
      />
      <p className="secondary">{t("about.licence")}</p>
    </section>
  )
}
