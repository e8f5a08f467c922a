/** The settings of one person: name, language, password, second factor and active sign-ins. */
import { lazy, Suspense, useState } from "react"
import { call } from "../../api/client.ts"
import { type Me, setMe, useMe } from "../../app/me.ts"
import { changed } from "../../live/store.ts"
import { Copy } from "../../parts/Act.tsx"
import { Facts, Outside } from "../../parts/Facts.tsx"
import { Form, Select, TextField } from "../../parts/Form.tsx"
import { usePages } from "../../parts/pages.ts"
import { Loading, problemText } from "../../parts/States.tsx"
import { Ago } from "../../parts/Time.tsx"
import { Passkeys } from "./Passkeys.tsx"
import { languageOf, languages, t } from "../../text/text.ts"

const QrCode = lazy(() => import("../../parts/QrCode.tsx").then(({ QrCode: it }) => ({ default: it })))

export const Profile = () => {
  const me = useMe()
  const [said, setSaid] = useState("")
  const person = me.operator
  if (person === null) return null
  return (
    <>
      {said === "" ? null : <p role="status">{said}</p>}
      <section className="card narrow">
        <h2>{t("profile.you")}</h2>
        <Form
          submit={t("action.save")}
          fields={["name", "locale"]}
          onSubmit={async (values) => {
            setMe(
              (await call("me.update", { body: { name: values.text("name"), locale: values.text("locale") } })) as Me
            )
            setSaid(t("action.saved"))
          }}
        >
          <TextField name="name" label={t("field.name")} defaultValue={person.name} required />
          <Select
            name="locale"
            label={t("profile.language")}
            defaultValue={languageOf(person.locale)}
            options={Object.entries(languages)}
          />
        </Form>
      </section>
      {me.singleSignOn ? <p className="notice">{t("profile.singleSignOn")}</p> : <Password said={said} say={setSaid} />}
      {me.singleSignOn ? null : (
        <>
          <Passkeys />
          <SecondFactor />
        </>
      )}
      <SignIns />
    </>
  )
}

const Password = ({ said, say }: { readonly said: string; readonly say: (text: string) => void }) => (
  <section className="card narrow">
    <h2>{t("field.password")}</h2>
    <Form
      key={said}
      submit={t("profile.changePassword")}
      fields={["currentPassword", "newPassword"]}
      onSubmit={async (values) => {
        await call("me.changePassword", {
          body: { currentPassword: values.text("currentPassword"), newPassword: values.text("newPassword") }
        })
        say(t("profile.passwordChanged"))
      }}
    >
      <TextField
        name="currentPassword"
        type="password"
        label={t("profile.currentPassword")}
        autoComplete="current-password"
        required
      />
      <TextField
        name="newPassword"
        type="password"
        label={t("profile.newPassword")}
        hint={t("entry.passwordHint")}
        autoComplete="new-password"
        minLength={12}
        required
      />
    </Form>
  </section>
)

const SecondFactor = () => {
  const { secondFactor } = useMe()
  const [begun, setBegun] = useState<{ readonly secret: string; readonly uri: string } | undefined>()
  const [codes, setCodes] = useState<ReadonlyArray<string>>([])
  const reread = async () => setMe(await call("me.get", {}))
  if (codes.length > 0) {
    return (
      <section className="card narrow">
        <h2>{t("profile.recovery")}</h2>
        <p>{t("profile.recoveryText")}</p>
        <pre tabIndex={0}>{codes.join("\n")}</pre>
        <Copy text={codes.join("\n")} />
      </section>
    )
  }
  return (
    <section className="card narrow">
      <h2>{t("profile.secondFactor")}</h2>
      <p>
        {secondFactor?.enrolled === true
          ? t("profile.isOn", { n: secondFactor.recoveryCodesLeft })
          : t("profile.isOff")}
      </p>
      {secondFactor?.wrongCodes ? (
        <p className="notice">
          {t("profile.wrongCodes", { n: secondFactor.wrongCodes.count, network: secondFactor.wrongCodes.lastNetwork })}{" "}
          <Ago at={secondFactor.wrongCodes.lastAt} />
        </p>
      ) : null}
      {secondFactor?.enrolled === true ? (
        <Form
          danger
          submit={t("profile.switchOff")}
          fields={["code"]}
          onSubmit={async (values) => {
            await call("me.changeTotp", { body: { enabled: false, code: values.text("code") } })
            await reread()
          }}
        >
          <TextField name="code" label={t("entry.code")} autoComplete="one-time-code" required />
        </Form>
      ) : begun === undefined ? (
        <Form
          submit={t("profile.switchOn")}
          fields={["password"]}
          onSubmit={async (values) =>
            setBegun(await call("me.beginTotp", { body: { password: values.text("password") } }))
          }
        >
          <TextField
            name="password"
            type="password"
            label={t("field.password")}
            autoComplete="current-password"
            required
          />
        </Form>
      ) : (
        <>
          <p>{t("profile.scan")}</p>
          <Suspense fallback={null}>
            <QrCode text={begun.uri} label={t("profile.qr")} />
          </Suspense>
          <Facts
            rows={[
              [
                t("profile.secret"),
                <>
                  <code>{begun.secret}</code> <Copy text={begun.secret} />
                </>
              ],
              [
                t("profile.link"),
                <a key="link" href={begun.uri}>
                  {t("profile.openApp")}
                </a>
              ]
            ]}
          />
          <Form
            submit={t("profile.switchOn")}
            fields={["code"]}
            onSubmit={async (values) => {
              const { recoveryCodes } = await call("me.changeTotp", {
                body: { enabled: true, code: values.text("code") }
              })
              setBegun(undefined)
              await reread()
              setCodes(recoveryCodes ?? [])
            }}
          >
            <TextField name="code" label={t("entry.code")} autoComplete="one-time-code" required autoFocus />
          </Form>
        </>
      )}
    </section>
  )
}

const SignIns = () => {
  const [said, setSaid] = useState("")
  const pages = usePages("sign-ins.list", { query: {} })
  if (pages.isLoading) return <Loading rows={3} />
  const attempt = (work: Promise<unknown>) =>
    void work.then(() => changed("sign-ins.list")).catch((error: unknown) => setSaid(problemText(error)))
  return (
    <section className="card">
      <header className="section-head">
        <h2>{t("profile.signIns")}</h2>
        <button type="button" className="button small" onClick={() => attempt(call("sign-ins.removeOthers", {}))}>
          {t("profile.endOthers")}
        </button>
      </header>
      {said === "" ? null : <p className="failed">{said}</p>}
      <ul className="rows">
        {pages.rows.map((one) => (
          <li key={one.id}>
            <span>
              <Outside>{one.agent}</Outside>
              <small>
                {one.network} · <Ago at={one.seenAt} />
                {one.current ? ` · ${t("profile.thisOne")}` : null}
              </small>
            </span>
            {one.current ? null : (
              <button
                type="button"
                className="button small"
                onClick={() => attempt(call("sign-ins.remove", { params: { signInId: one.id } }))}
              >
                {t("profile.end")}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
