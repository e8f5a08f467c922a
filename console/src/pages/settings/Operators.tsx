/** The people of the organisation, their roles, and open invitations. */
import { useState } from "react"
import { call } from "../../api/client.ts"
import { useMe } from "../../app/me.ts"
import { changed } from "../../live/store.ts"
import { Act, Copy } from "../../parts/Act.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Outside } from "../../parts/Facts.tsx"
import { CheckBox, Form, Select, TextField } from "../../parts/Form.tsx"
import { History } from "../../parts/History.tsx"
import { type Item, useFilters, usePages } from "../../parts/pages.ts"
import { Failed, Loading, NotPermitted, problemText } from "../../parts/States.tsx"
import { Pill } from "../../parts/Status.tsx"
import { Moment } from "../../parts/Time.tsx"
import { t, word } from "../../text/text.ts"
import { LeftAccess } from "./LeftAccess.tsx"
import { allPermissions } from "./permissions.ts"

type Operator = Item<"operators.list">
type Role = Item<"roles.list">

export const Operators = () => {
  const me = useMe()
  const [filters, set] = useFilters()
  const [link, setLink] = useState<{ readonly link: string; readonly expiresAt: string } | undefined>()
  const [edited, setEdited] = useState<Operator | undefined>()
  const [leaving, setLeaving] = useState<Operator | undefined>()
  const [role, setRole] = useState<Role | "new" | undefined>()
  const [said, setSaid] = useState("")
  const operators = usePages("operators.list", { query: {} })
  const roles = usePages("roles.list", { query: {} })
  const invitations = usePages("invitations.list", { query: {} })
  if (operators.missing.length > 0) return <NotPermitted permissions={operators.missing} />
  if (operators.error !== null) {
    return <Failed what={t("operator.notRead")} error={operators.error} retry={operators.retry} />
  }
  if (operators.isLoading || roles.isLoading) return <Loading />
  const attempt = (work: Promise<unknown>) =>
    void work
      .then(() => {
        setSaid("")
        changed("operators.list", "invitations.list", "roles.list")
      })
      .catch((error: unknown) => setSaid(problemText(error)))
  const close = () => {
    set({ do: undefined })
    setLink(undefined)
    setEdited(undefined)
    setLeaving(undefined)
    setRole(undefined)
  }
  return (
    <>
      {said === "" ? null : (
        <p className="failed" role="alert">
          {said}
        </p>
      )}
      <section className="card">
        <header className="section-head">
          <h2>{t("settings.operators")}</h2>
          <Act needs={["invitations.create"]} kind="main" onClick={() => set({ do: "add" })}>
            {t("operator.invite")}
          </Act>
        </header>
        <ul className="rows">
          {operators.rows.map((one) => (
            <li key={one.id}>
              <span>
                <b>
                  <Outside>{one.name === "" ? one.email : one.name}</Outside>
                </b>{" "}
                <Outside>{one.email}</Outside>
                <small>
                  {word("role", one.role.name)}
                  {one.singleSignOn ? ` · ${t("signOn.title")}` : null}
                  {one.secondFactor ? ` · ${t("operator.secondFactor")}` : null}
                </small>
              </span>
              <span className="acts">
                <Pill tone={one.state === "Active" ? "ok" : one.state === "Invited" ? "wait" : "off"}>
                  {word("operatorState", one.state)}
                </Pill>
                <Act needs={["operators.update"]} kind="small" onClick={() => setEdited(one)}>
                  {t("action.edit")}
                </Act>
                <History of={{ subject: `operator:${one.id}` }} />
                <Act
                  needs={["operators.reset"]}
                  kind="small"
                  onClick={() =>
                    void call("operators.reset", { params: { operatorId: one.id } })
                      .then(setLink)
                      .catch((error: unknown) => setSaid(problemText(error)))
                  }
                >
                  {t("operator.reset")}
                </Act>
                {one.state === "Disabled" ? (
                  <>
                    <Act needs={["operators.access"]} kind="small" onClick={() => setLeaving(one)}>
                      {t("operator.left")}
                    </Act>
                    <Act
                      needs={["operators.update"]}
                      kind="small"
                      onClick={() =>
                        attempt(call("operators.update", { params: { operatorId: one.id }, body: { state: "Active" } }))
                      }
                    >
                      {t("operator.enable")}
                    </Act>
                  </>
                ) : (
                  <Act
                    needs={["operators.update"]}
                    kind="small"
                    off={one.id === me.operator?.id}
                    onClick={() => setLeaving(one)}
                  >
                    {t("operator.disable")}
                  </Act>
                )}
              </span>
            </li>
          ))}
        </ul>
      </section>
      {invitations.rows.length === 0 ? null : (
        <section className="card">
          <h2>{t("operator.invitations")}</h2>
          <ul className="rows">
            {invitations.rows.map((one) => (
              <li key={one.id}>
                <span>
                  <Outside>{one.email}</Outside>
                  <small>
                    {word("role", one.role.name)} · {t("operator.until")} <Moment at={one.expiresAt} />
                  </small>
                </span>
                <Act
                  needs={["invitations.remove"]}
                  kind="small"
                  onClick={() => attempt(call("invitations.remove", { params: { invitationId: one.id } }))}
                >
                  {t("operator.takeBack")}
                </Act>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="card">
        <header className="section-head">
          <h2>{t("operator.roles")}</h2>
          <Act needs={["roles.create"]} onClick={() => setRole("new")}>
            {t("operator.addRole")}
          </Act>
        </header>
        <ul className="rows">
          {roles.rows.map((one) => (
            <li key={one.id}>
              <span>
                <b>
                  <Outside>{word("role", one.name)}</Outside>
                </b>
                <small>{one.permissions.join(", ")}</small>
              </span>
              {one.builtIn ? (
                <small>{t("operator.builtIn")}</small>
              ) : (
                <span className="acts">
                  <History of={{ subject: `role:${one.id}` }} />
                  <Act needs={["roles.update"]} kind="small" onClick={() => setRole(one)}>
                    {t("action.edit")}
                  </Act>
                  <Act
                    needs={["roles.remove"]}
                    kind="small"
                    onClick={() => attempt(call("roles.remove", { params: { roleId: one.id } }))}
                  >
                    {t("action.remove")}
                  </Act>
                </span>
              )}
            </li>
          ))}
        </ul>
      </section>
      {filters["do"] === "add" && link === undefined ? (
        <Dialog title={t("operator.invite")} onClose={close}>
          <Form
            submit={t("operator.invite")}
            onCancel={close}
            fields={["email", "roleId"]}
            onSubmit={async (values) => {
              const made = await call("invitations.create", {
                body: { email: values.text("email"), roleId: values.text("roleId") }
              })
              changed("invitations.list", "operators.list")
              setLink(made)
            }}
          >
            <TextField name="email" type="email" label={t("field.email")} required autoFocus />
            <Select
              name="roleId"
              label={t("operator.role")}
              defaultValue="Operations"
              options={roles.rows.map(({ id, name }) => [id, word("role", name)] as const)}
            />
          </Form>
        </Dialog>
      ) : null}
      {link === undefined ? null : (
        <Dialog title={t("operator.link")} onClose={close}>
          <p>{t("operator.linkText")}</p>
          <p>
            <code>{link.link}</code> <Copy text={link.link} />
          </p>
          <p className="secondary">
            {t("operator.until")} <Moment at={link.expiresAt} />
          </p>
        </Dialog>
      )}
      {leaving === undefined ? null : <LeftAccess of={leaving} onClose={close} />}
      {edited === undefined ? null : (
        <Dialog title={edited.name} onClose={close}>
          <Form
            submit={t("action.save")}
            onCancel={close}
            fields={["roleId", "additions", "removals"]}
            onSubmit={async (values) => {
              await call("operators.update", {
                params: { operatorId: edited.id },
                body: {
                  roleId: values.text("roleId"),
                  additions: values.all("additions") as never,
                  removals: values.all("removals") as never
                }
              })
              changed("operators.list")
              close()
            }}
          >
            <Select
              name="roleId"
              label={t("operator.role")}
              defaultValue={edited.role.id}
              options={roles.rows.map(({ id, name }) => [id, word("role", name)] as const)}
            />
            <PermissionBoxes name="additions" legend={t("operator.additions")} chosen={edited.additions} />
            <PermissionBoxes name="removals" legend={t("operator.removals")} chosen={edited.removals} />
          </Form>
        </Dialog>
      )}
      {role === undefined ? null : (
        <Dialog title={role === "new" ? t("operator.addRole") : role.name} onClose={close}>
          <Form
            submit={t("action.save")}
            onCancel={close}
            fields={["name", "permissions"]}
            onSubmit={async (values) => {
              const body = { name: values.text("name"), permissions: values.all("permissions") as never }
              if (role === "new") await call("roles.create", { body })
              else await call("roles.update", { params: { roleId: role.id }, body })
              changed("roles.list", "operators.list")
              close()
            }}
          >
            <TextField name="name" label={t("field.name")} defaultValue={role === "new" ? "" : role.name} required />
            <PermissionBoxes
              name="permissions"
              legend={t("operator.permissions")}
              chosen={role === "new" ? [] : role.permissions}
            />
          </Form>
        </Dialog>
      )}
    </>
  )
}

/** The permissions that a person can give: only those that they have themselves. */
export const PermissionBoxes = ({
  chosen,
  legend,
  name
}: {
  readonly name: string
  readonly legend: string
  readonly chosen: ReadonlyArray<string>
}) => {
  const me = useMe()
  const offered = allPermissions.filter((one) => me.permissions.includes(one) || chosen.includes(one))
  return (
    <fieldset className="boxes">
      <legend>{legend}</legend>
      {offered.map((one) => (
        <CheckBox key={one} name={name} value={one} label={one} defaultChecked={chosen.includes(one)} />
      ))}
    </fieldset>
  )
}
