/**
 * What an operator has made that gives access and still works, as a list to choose from: when the operator is disabled, and afterwards. What
 * carries a secret that the person knows is chosen from the beginning; links end by themselves.
 */
import { call } from "../../api/client.ts"
import { may, useMe } from "../../app/me.ts"
import { changed } from "../../live/store.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { Outside } from "../../parts/Facts.tsx"
import { Form } from "../../parts/Form.tsx"
import { type Item, usePages } from "../../parts/pages.ts"
import { Failed, Loading } from "../../parts/States.tsx"
import { Moment } from "../../parts/Time.tsx"
import { t, word } from "../../text/text.ts"

type Operator = Item<"operators.list">
type Made = Item<"operators.access">

/** Links end when the operator is disabled. */
const endsItself = ({ kind }: Made) => kind === "Invitation" || kind === "Reset"

const What = ({ made }: { readonly made: Made }) => (
  <span>
    {word("madeKind", made.kind)}: <Outside>{made.name}</Outside>
    <small>
      <Moment at={made.createdAt} />
      {made.expiresAt === null ? null : (
        <>
          {` · ${t("operator.until")} `}
          <Moment at={made.expiresAt} />
        </>
      )}
      {endsItself(made) ? ` · ${t("operator.endsItself")}` : null}
    </small>
  </span>
)

export const LeftAccess = ({ of, onClose }: { readonly of: Operator; readonly onClose: () => void }) => {
  const me = useMe()
  const params = { operatorId: of.id }
  const left = usePages("operators.access", { params, query: { limit: 500 } })
  const isActive = of.state !== "Disabled"
  const mayClose = may(me, "operators.closeAccess")
  const name = of.name === "" ? of.email : of.name
  const title = isActive ? t("operator.disableTitle", { name }) : t("operator.leftTitle", { name })
  const choices = left.rows.filter((one) => !endsItself(one))
  const links = left.rows.filter(endsItself)
  return (
    <Dialog title={title} onClose={onClose}>
      {left.error !== null ? (
        <Failed what={t("operator.leftNotRead")} error={left.error} retry={left.retry} />
      ) : left.isLoading ? (
        <Loading />
      ) : (
        <Form
          danger
          submit={isActive ? t("operator.disable") : t("operator.closeChosen")}
          onCancel={onClose}
          isReady={left.rows.length === 0}
          onSubmit={async (values) => {
            if (isActive) await call("operators.update", { params, body: { state: "Disabled" } })
            changed("operators.list", "invitations.list")
            const chosen = new Set(values.all("items"))
            const items = choices.filter(({ id }) => chosen.has(id)).map(({ id, kind }) => ({ id, kind }))
            if (items.length > 0) await call("operators.closeAccess", { params, body: { items } })
            changed("operators.access", "api-keys.list", "webhooks.list", "partners.list")
            onClose()
          }}
        >
          {isActive ? <p>{t("operator.disableText")}</p> : null}
          {choices.length === 0 ? (
            <p className="secondary">{t("operator.nothingLeft")}</p>
          ) : (
            <fieldset className="left-access">
              <legend>{t("operator.leftLegend")}</legend>
              {choices.map((one) => (
                <label key={one.id} className="check">
                  <input type="checkbox" name="items" value={one.id} defaultChecked={mayClose} disabled={!mayClose} />
                  <What made={one} />
                </label>
              ))}
            </fieldset>
          )}
          {links.length === 0 ? null : (
            <ul className="rows">
              {links.map((one) => (
                <li key={one.id}>
                  <What made={one} />
                </li>
              ))}
            </ul>
          )}
        </Form>
      )}
    </Dialog>
  )
}
