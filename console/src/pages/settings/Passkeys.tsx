/** The person's passkeys: which devices can sign in, and when they last did. */
import { useState } from "react"
import { call } from "../../api/client.ts"
import { setMe } from "../../app/me.ts"
import { addPasskey, hasPasskeys, wasCancelled } from "../../live/passkeys.ts"
import { changed } from "../../live/store.ts"
import { Outside } from "../../parts/Facts.tsx"
import { Form, TextField } from "../../parts/Form.tsx"
import { usePages } from "../../parts/pages.ts"
import { Failed, Loading, problemText } from "../../parts/States.tsx"
import { Ago, Moment } from "../../parts/Time.tsx"
import { t } from "../../text/text.ts"

export const Passkeys = () => {
  const [isAdding, setAdding] = useState(false)
  const [said, setSaid] = useState("")
  const pages = usePages("passkeys.list", { query: {} })
  if (!hasPasskeys()) return null
  return (
    <section className="card narrow">
      <h2>{t("passkey.title")}</h2>
      <p>{t("passkey.about")}</p>
      {said === "" ? null : <p className="failed">{said}</p>}
      {pages.error === null ? null : <Failed what={t("passkey.notRead")} error={pages.error} retry={pages.retry} />}
      {pages.isLoading ? <Loading rows={1} /> : null}
      <ul className="rows">
        {pages.rows.map((one) => (
          <li key={one.id}>
            <span>
              <b>
                <Outside>{one.name}</Outside>
              </b>
              <small>
                {t("passkey.added")} <Moment at={one.createdAt} />
                {one.usedAt === null ? null : (
                  <>
                    {" · "}
                    {t("passkey.used")} <Ago at={one.usedAt} />
                  </>
                )}
              </small>
            </span>
            <button
              type="button"
              className="button small"
              aria-label={t("passkey.removeNamed", { name: one.name })}
              onClick={() =>
                void call("passkeys.remove", { params: { passkeyId: one.id } })
                  .then(() => changed("passkeys.list"))
                  .catch((error: unknown) => setSaid(problemText(error)))
              }
            >
              {t("action.remove")}
            </button>
          </li>
        ))}
      </ul>
      {isAdding ? (
        <Form
          submit={t("passkey.add")}
          fields={["name", "password"]}
          onSubmit={async (values) => {
            try {
              await addPasskey(values.text("name"), values.text("password"))
            } catch (error) {
              if (!wasCancelled(error)) throw error
              return
            }
            setAdding(false)
            changed("passkeys.list")
            setMe(await call("me.get", {}))
          }}
        >
          <TextField
            name="name"
            label={t("passkey.name")}
            hint={t("passkey.nameHint")}
            maxLength={100}
            autoComplete="off"
            required
            autoFocus
          />
          <TextField
            name="password"
            type="password"
            label={t("field.password")}
            autoComplete="current-password"
            required
          />
        </Form>
      ) : (
        <button type="button" className="button" onClick={() => setAdding(true)}>
          {t("passkey.add")}
        </button>
      )}
    </section>
  )
}
