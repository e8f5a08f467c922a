/** The menu of the person: organisation, profile, and signing out. */
import { Link } from "@tanstack/react-router"
import { call } from "../api/client.ts"
import { Dialog } from "../parts/Dialog.tsx"
import { t } from "../text/text.ts"
import { personName, useMe } from "./me.ts"
import { signOut } from "./Shell.tsx"
import { beginAnew } from "./whoHere.ts"

export const Person = ({ onClose }: { readonly onClose: () => void }) => {
  const me = useMe()
  const change = async (organisationId: string) => {
    await call("me.changeOrganisation", { body: { organisationId } })
    beginAnew()
  }
  return (
    <Dialog title={personName(me)} onClose={onClose}>
      <p className="secondary">
        {me.operator?.email} · {me.role}
      </p>
      {me.organisations.length < 2 ? null : (
        <section>
          <h3>{t("person.organisations")}</h3>
          <ul className="choices">
            {me.organisations.map(({ id, name }) => (
              <li key={id}>
                <button
                  type="button"
                  className="button"
                  aria-current={id === me.organisation.id}
                  onClick={() => void change(id)}
                >
                  <bdi>{name}</bdi>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <div className="form-acts">
        <Link className="button" to={"/settings/profile" as never} onClick={onClose}>
          {t("person.profile")}
        </Link>
        <button type="button" className="button" onClick={() => void signOut()}>
          {t("person.signOut")}
        </button>
      </div>
    </Dialog>
  )
}
