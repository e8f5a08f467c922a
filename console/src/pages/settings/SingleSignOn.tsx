/** The organisation's identity provider: its address, who may join, and which group gets which role. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { call, Problem } from "../../api/client.ts"
import type { Answer } from "../../api/types.ts"
import { may, missingFor, useMe } from "../../app/me.ts"
import { queries } from "../../live/store.ts"
import { Act, Copy } from "../../parts/Act.tsx"
import { Facts, Outside } from "../../parts/Facts.tsx"
import { CheckBox, Form, type FormValues, Select, TextArea, TextField } from "../../parts/Form.tsx"
import { usePages } from "../../parts/pages.ts"
import { Failed, Loading, NotPermitted, problemText } from "../../parts/States.tsx"
import { t, word } from "../../text/text.ts"

type Settings = Answer<"single-sign-on.get">
type Findings = Answer<"single-sign-on.test">

/** Null if none is set. */
const read = (): Promise<Settings | null> =>
  call("single-sign-on.get", {}).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 404) return null
    throw error
  })

const reread = () => queries.invalidateQueries({ queryKey: ["single-sign-on.get"] })

export const SingleSignOn = () => {
  const me = useMe()
  const missing = missingFor(me, "single-sign-on.get")
  const { data, error, refetch } = useQuery({
    queryKey: ["single-sign-on.get"],
    enabled: missing.length === 0,
    queryFn: read
  })
  const roles = usePages("roles.list", { query: {} })
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  if (error !== null) return <Failed what={t("signOn.notRead")} error={error} retry={() => void refetch()} />
  if (data === undefined || roles.isLoading) return <Loading />
  const options = roles.rows.map(({ id, name }) => [id, word("role", name)] as const)
  return <Provider key={data?.updatedAt ?? ""} settings={data} roles={options} />
}

type Roles = ReadonlyArray<readonly [value: string, label: string]>

const lines = (text: string): ReadonlyArray<string> => [...new Set(text.split(/[\s,]+/).filter((one) => one !== ""))]

interface Row {
  readonly key: number
  readonly group: string
  readonly roleId: string
}

const bodyOf = (values: FormValues, rows: ReadonlyArray<Row>) => {
  const secret = values.optional("clientSecret")
  const fallback = values.optional("defaultRoleId")
  return {
    issuer: values.text("issuer").trim(),
    clientId: values.text("clientId").trim(),
    ...(secret === undefined ? {} : { clientSecret: secret }),
    scopes: lines(values.text("scopes")),
    groupsClaim: values.text("groupsClaim").trim(),
    groupRoles: rows
      .map(({ key }) => ({ group: values.text(`group-${key}`).trim(), roleId: values.text(`role-${key}`) }))
      .filter(({ group }) => group !== ""),
    defaultRoleId: fallback ?? null,
    domains: lines(values.text("domains").toLowerCase()),
    trustEmail: values.checked("trustEmail"),
    enabled: values.checked("enabled"),
    passwordForOwnersOnly: values.checked("passwordForOwnersOnly")
  }
}

const Provider = ({ roles, settings }: { readonly settings: Settings | null; readonly roles: Roles }) => {
  const me = useMe()
  const canWrite = may(me, "single-sign-on.set")
  const [issuer, setIssuer] = useState(settings?.issuer ?? "")
  const [rows, setRows] = useState<ReadonlyArray<Row>>(
    (settings?.groupRoles ?? []).map((one, key) => ({ ...one, key }))
  )
  const redirectUri = settings?.redirectUri ?? me.addresses.rest.replace(/\/cpo\/v2$/, "/sign-in/return")
  return (
    <section className="card narrow">
      <h2>{t("signOn.title")}</h2>
      <p className="secondary">{t("signOn.about")}</p>
      <Facts
        rows={[
          [
            t("signOn.redirectUri"),
            <>
              <code>{redirectUri}</code> <Copy text={redirectUri} />
            </>
          ]
        ]}
      />
      {canWrite ? null : (
        <p className="notice">{t("state.needs", { permissions: missingFor(me, "single-sign-on.set").join(", ") })}</p>
      )}
      <fieldset disabled={!canWrite} className="bare">
        <Form
          submit={t("action.save")}
          fields={["issuer", "clientId", "clientSecret", "scopes", "groupsClaim", "domains"]}
          onSubmit={async (values) => {
            await call("single-sign-on.set", { body: bodyOf(values, rows) })
            await reread()
          }}
        >
          <TextField
            name="issuer"
            type="url"
            label={t("signOn.issuer")}
            hint={t("signOn.issuerHint")}
            value={issuer}
            onChange={({ currentTarget }) => setIssuer(currentTarget.value)}
            required
          />
          <Test issuer={issuer} />
          <TextField name="clientId" label={t("signOn.clientId")} defaultValue={settings?.clientId} required />
          <TextField
            name="clientSecret"
            type="password"
            label={t("signOn.clientSecret")}
            hint={settings?.hasClientSecret === true ? t("signOn.secretKept") : t("signOn.secretHint")}
            autoComplete="new-password"
          />
          <TextArea
            name="domains"
            label={t("signOn.domains")}
            hint={t("signOn.domainsHint")}
            rows={2}
            defaultValue={settings?.domains.join("\n")}
          />
          <Groups rows={rows} setRows={setRows} roles={roles} />
          <Select
            name="defaultRoleId"
            label={t("signOn.defaultRole")}
            defaultValue={settings?.defaultRoleId ?? ""}
            options={[["", t("signOn.noRole")], ...roles]}
          />
          <TextField
            name="groupsClaim"
            label={t("signOn.groupsClaim")}
            defaultValue={settings?.groupsClaim ?? "groups"}
            required
          />
          <TextField
            name="scopes"
            label={t("signOn.scopes")}
            hint={t("signOn.scopesHint")}
            defaultValue={(settings?.scopes ?? ["email", "profile"]).join(" ")}
          />
          <CheckBox name="trustEmail" label={t("signOn.trustEmail")} defaultChecked={settings?.trustEmail ?? false} />
          <CheckBox
            name="passwordForOwnersOnly"
            label={t("signOn.ownersOnly")}
            defaultChecked={settings?.passwordForOwnersOnly ?? false}
          />
          <CheckBox name="enabled" label={t("signOn.enabled")} defaultChecked={settings?.enabled ?? false} />
        </Form>
      </fieldset>
      {settings === null ? null : <Domains verifications={settings.verifications} />}
      {settings === null ? null : <Remove />}
    </section>
  )
}

/** The record that verifies each domain, and whether it was found. */
const Domains = ({ verifications }: Pick<Settings, "verifications">) => {
  const [said, setSaid] = useState("")
  const verify = (domain: string) => {
    setSaid("")
    call("single-sign-on.verifyDomain", { params: { domain }, body: {} })
      .then(reread)
      .catch((error: unknown) => setSaid(problemText(error)))
  }
  return verifications.length === 0 ? null : (
    <>
      <h3>{t("signOn.verification")}</h3>
      <p className="secondary">{t("signOn.verificationText")}</p>
      {verifications.map(({ domain, recordName, recordValue, state }) => (
        <div key={domain} className="element">
          <Facts
            rows={[
              [domain, state === "Verified" ? t("signOn.isVerified") : t("signOn.isUnverified")],
              ["TXT", <code>{recordName}</code>],
              [
                t("signOn.recordValue"),
                <>
                  <code>{recordValue}</code> <Copy text={recordValue} />
                </>
              ]
            ]}
          />
          {state === "Verified" ? null : (
            <Act needs={["single-sign-on.verifyDomain"]} kind="small" onClick={() => verify(domain)}>
              {t("signOn.verify", { domain })}
            </Act>
          )}
        </div>
      ))}
      <div role="status">{said === "" ? null : <p className="failed">{said}</p>}</div>
    </>
  )
}

const Test = ({ issuer }: { readonly issuer: string }) => {
  const [found, setFound] = useState<{ readonly issuer: string; readonly findings: Findings } | undefined>()
  const [said, setSaid] = useState("")
  const [isBusy, setBusy] = useState(false)
  const test = () => {
    setBusy(true)
    setSaid("")
    setFound(undefined)
    call("single-sign-on.test", { body: { issuer } })
      .then((findings) => setFound({ issuer, findings }))
      .catch((error: unknown) =>
        setSaid(error instanceof Problem && error.errors[0] !== undefined ? error.errors[0].detail : problemText(error))
      )
      .finally(() => setBusy(false))
  }
  const findings = found?.issuer === issuer ? found.findings : undefined
  return (
    <div>
      <Act needs={["single-sign-on.test"]} kind="small" busy={isBusy} off={issuer === ""} onClick={test}>
        {t("signOn.test")}
      </Act>
      <div role="status">
        {findings?.ok === true ? <p>{t("signOn.testOk")}</p> : null}
        {findings?.problems.map((one) => (
          <p key={one} className="failed">
            <Outside>{one}</Outside>
          </p>
        ))}
        {said === "" ? null : <p className="failed">{said}</p>}
      </div>
    </div>
  )
}

const Groups = ({
  roles,
  rows,
  setRows
}: {
  readonly rows: ReadonlyArray<Row>
  readonly setRows: (rows: ReadonlyArray<Row>) => void
  readonly roles: Roles
}) => (
  <fieldset className="element">
    <legend>{t("signOn.groups")}</legend>
    <p className="field-hint">{t("signOn.groupsHint")}</p>
    {rows.map(({ group, key, roleId }, index) => (
      <div key={key}>
        <div className="field-pair">
          <TextField
            name={`group-${key}`}
            label={t("signOn.group", { n: index + 1 })}
            defaultValue={group}
            maxLength={255}
          />
          <Select name={`role-${key}`} label={t("operator.role")} defaultValue={roleId} options={roles} />
        </div>
        <button
          type="button"
          className="button small"
          aria-label={t("signOn.removeGroup", { n: index + 1 })}
          onClick={() => setRows(rows.filter((one) => one.key !== key))}
        >
          {t("action.remove")}
        </button>
      </div>
    ))}
    <div>
      <button
        type="button"
        className="button small"
        onClick={() =>
          setRows([...rows, { key: 1 + Math.max(-1, ...rows.map(({ key }) => key)), group: "", roleId: "Viewer" }])
        }
      >
        {t("signOn.addGroup")}
      </button>
    </div>
  </fieldset>
)

const Remove = () => {
  const [isAsked, setAsked] = useState(false)
  const [said, setSaid] = useState("")
  const remove = () =>
    void call("single-sign-on.remove", {})
      .then(reread)
      .catch((error: unknown) => setSaid(problemText(error)))
  return (
    <>
      {said === "" ? null : (
        <p className="failed" role="alert">
          {said}
        </p>
      )}
      <Act needs={["single-sign-on.remove"]} kind="danger" onClick={() => (isAsked ? remove() : setAsked(true))}>
        {isAsked ? t("signOn.removeSure") : t("signOn.remove")}
      </Act>
    </>
  )
}
