/**
 * Signing in, the first account, an invitation and a new password: the pages before the shell. Tokens of links are in the fragment, which appears in
 * no log.
 */
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { call, Problem } from "../api/client.ts"
import { type Me, setMe } from "../app/me.ts"
import { Form, TextField } from "../parts/Form.tsx"
import { hasPasskeys, signInByPasskey, wasCancelled } from "../live/passkeys.ts"
import { useFilters } from "../parts/pages.ts"
import { problemText } from "../parts/States.tsx"
import { t } from "../text/text.ts"
import { Card } from "./EntryCard.tsx"
import { safeNext } from "./next.ts"
import { SignOn } from "./SignOn.tsx"

/** The token after the `#`. It is removed from the address, so that it does not stay in the history. */
const useFragment = (): string => {
  const [token] = useState(() => location.hash.slice(1))
  useEffect(() => {
    if (location.hash !== "") history.replaceState(history.state, "", location.pathname + location.search)
  }, [])
  return token
}

const least = 12
const passwordProps = { type: "password", minLength: least, maxLength: 200, required: true } as const

/**
 * The link that the demo prints signs the visitor in. Only allowed on this machine: elsewhere such a link could sign a person in to another person's
 * account.
 */
const fromLink = (fragment: string): { readonly email: string; readonly password: string } | undefined => {
  if (location.hostname !== "localhost" && location.hostname !== "127.0.0.1") return undefined
  const given = new URLSearchParams(fragment)
  const [email, password] = [given.get("email"), given.get("password")]
  return email === null || password === null ? undefined : { email, password }
}

export const SignIn = () => {
  const [filters] = useFilters()
  const go = useNavigate()
  const link = fromLink(useFragment())
  useEffect(() => {
    if (link === undefined) return
    void call("sign-ins.create", { body: link })
      .then((me) => {
        setMe(me as Me)
        return go({ href: "/" })
      })
      .catch(() => undefined)
  }, [])
  const [needsCode, setNeedsCode] = useState(false)
  const [said, setSaid] = useState("")
  return (
    <Card title={t("entry.signIn")}>
      <Form
        submit={t("entry.signIn")}
        fields={["email", "password", "code"]}
        onSubmit={async (values) => {
          const code = values.optional("code")
          try {
            const me = await call("sign-ins.create", {
              body: {
                email: values.text("email"),
                password: values.text("password"),
                ...(code === undefined ? {} : { code })
              }
            })
            setMe(me as Me)
            await go({ href: safeNext(filters["next"]) })
          } catch (error) {
            if (!(error instanceof Problem) || error.code !== "second_factor_required") throw error
            setNeedsCode(true)
          }
        }}
      >
        <TextField name="email" type="email" label={t("field.email")} autoComplete="username" required autoFocus />
        <TextField
          name="password"
          type="password"
          label={t("field.password")}
          autoComplete="current-password"
          required
        />
        {needsCode ? (
          <TextField
            name="code"
            label={t("entry.code")}
            hint={t("entry.codeHint")}
            autoComplete="one-time-code"
            inputMode="numeric"
            autoFocus
            required
          />
        ) : null}
      </Form>
      {hasPasskeys() ? (
        <button
          type="button"
          className="button"
          onClick={() =>
            void signInByPasskey()
              .then((me) => {
                setMe(me as Me)
                return go({ href: safeNext(filters["next"]) })
              })
              .catch((error: unknown) => setSaid(wasCancelled(error) ? "" : problemText(error)))
          }
        >
          {t("entry.byPasskey")}
        </button>
      ) : null}
      {said === "" ? null : (
        <p className="failed" role="alert">
          {said}
        </p>
      )}
      <p className="secondary">{t("entry.forgot")}</p>
      <SignOn next={filters["next"]} />
    </Card>
  )
}

const NoToken = () => (
  <Card title={t("entry.noLink")} text={t("entry.noLinkText")}>
    <a className="button main" href="/sign-in">
      {t("entry.signIn")}
    </a>
  </Card>
)

export const SetUp = () => {
  const token = useFragment()
  const go = useNavigate()
  if (token === "") return <NoToken />
  return (
    <Card title={t("entry.setUp")} text={t("entry.setUpText")}>
      <Form
        submit={t("entry.begin")}
        fields={["email", "name", "password"]}
        onSubmit={async (values) => {
          const me = await call("set-up.create", {
            body: {
              token,
              email: values.text("email"),
              name: values.text("name"),
              password: values.text("password")
            }
          })
          setMe(me as Me)
          await go({ href: "/?first=run" })
        }}
      >
        <TextField name="email" type="email" label={t("field.email")} autoComplete="username" required autoFocus />
        <TextField name="name" label={t("field.yourName")} autoComplete="name" required maxLength={100} />
        <TextField
          name="password"
          label={t("field.password")}
          hint={t("entry.passwordHint")}
          autoComplete="new-password"
          {...passwordProps}
        />
      </Form>
    </Card>
  )
}

/** The page of a link for setting a password: an invitation or a reset. */
export const Invitation = () => {
  const token = useFragment()
  const go = useNavigate()
  const [needsCode, setNeedsCode] = useState(false)
  if (token === "") return <NoToken />
  return (
    <Card title={t("entry.invitation")} text={t("entry.invitationText")}>
      <Form
        submit={t("entry.join")}
        fields={["name", "password", "code"]}
        onSubmit={async (values) => {
          const name = values.optional("name")
          const code = values.optional("code")
          try {
            const me = await call("invitations.accept", {
              body: {
                token,
                password: values.text("password"),
                ...(name === undefined ? {} : { name }),
                ...(code === undefined ? {} : { code })
              }
            })
            setMe(me as Me)
            await go({ href: "/" })
          } catch (error) {
            if (!(error instanceof Problem) || error.code !== "second_factor_required") throw error
            setNeedsCode(true)
          }
        }}
      >
        <TextField
          name="name"
          label={t("field.yourName")}
          hint={t("entry.nameHint")}
          autoComplete="name"
          maxLength={100}
          autoFocus
        />
        <TextField
          name="password"
          label={t("field.password")}
          hint={t("entry.passwordHint")}
          autoComplete="new-password"
          {...passwordProps}
        />
        {needsCode ? (
          <TextField
            name="code"
            label={t("entry.code")}
            hint={t("entry.codeHint")}
            autoComplete="one-time-code"
            autoFocus
            required
          />
        ) : null}
      </Form>
    </Card>
  )
}
