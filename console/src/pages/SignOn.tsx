/** Signing in by an organisation's identity provider: its part of the sign-in page, and the page to which the provider sends the browser back. */
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { call, Problem } from "../api/client.ts"
import type { Answer } from "../api/types.ts"
import { type Me, setMe } from "../app/me.ts"
import { Form, TextField } from "../parts/Form.tsx"
import { Loading, problemText } from "../parts/States.tsx"
import { t, word } from "../text/text.ts"
import { Card } from "./EntryCard.tsx"
import { safeNext } from "./next.ts"

const nextKey = "voltlane.next"

/** What went wrong, in the reader's language; the service's own message if the catalogue has no text for it. */
const failureText = (error: unknown): string => {
  if (!(error instanceof Problem)) return problemText(error)
  const known = word("signOn", error.code)
  return known === error.code ? error.message : known
}

type Choice = { readonly email?: string; readonly organisation?: string }

/** Leaves this page for the provider. */
const leave = async (choice: Choice, next: string | undefined): Promise<void> => {
  try {
    const { url } = await call("single-sign-on.begin", { body: choice })
    sessionStorage.setItem(nextKey, next ?? "/")
    location.assign(url)
  } catch (error) {
    throw new Error(failureText(error), { cause: error })
  }
}

export const SignOn = ({ next }: { readonly next: string | undefined }) => {
  const [offer, setOffer] = useState<Answer<"single-sign-on.offer"> | undefined>()
  const [isAsking, setAsking] = useState(false)
  const [said, setSaid] = useState("")
  useEffect(() => {
    // Without an answer the page looks as if no organisation offered single sign-on.
    void call("single-sign-on.offer", {})
      .then(setOffer)
      .catch(() => undefined)
  }, [])
  if (offer?.offered !== true) return null
  const go = (choice: Choice) =>
    leave(choice, next).catch((error: unknown) => setSaid(error instanceof Error ? error.message : ""))
  const { organisationName } = offer
  return (
    <>
      {said === "" ? null : (
        <p className="failed" role="alert">
          {said}
        </p>
      )}
      {isAsking ? (
        <Form
          submit={t("signOn.go")}
          onSubmit={(values) => {
            setSaid("")
            const who = values.text("who").trim()
            return go(who.includes("@") ? { email: who } : { organisation: who })
          }}
        >
          <TextField name="who" label={t("signOn.who")} hint={t("signOn.whoHint")} required autoFocus />
        </Form>
      ) : (
        <button
          type="button"
          className="button"
          onClick={() => (organisationName === null ? setAsking(true) : void go({}))}
        >
          {organisationName === null ? t("signOn.title") : t("signOn.with", { organisation: organisationName })}
        </button>
      )}
    </>
  )
}

/** The query exactly as the provider wrote it: the router may rewrite the address. */
const returned = (): string => {
  const [navigation] = performance.getEntriesByType("navigation")
  return navigation === undefined ? location.search : new URL(navigation.name).search
}

export const SignOnReturn = () => {
  const go = useNavigate()
  const [said, setSaid] = useState<string | undefined>()
  useEffect(() => {
    const query = returned().slice(1)
    // The code works only once, and must not stay in the history.
    history.replaceState(history.state, "", location.pathname)
    void call("single-sign-on.complete", { body: { query } })
      .then((me) => {
        setMe(me as Me)
        const next = sessionStorage.getItem(nextKey) ?? undefined
        sessionStorage.removeItem(nextKey)
        return go({ href: safeNext(next), replace: true })
      })
      .catch((error: unknown) => setSaid(failureText(error)))
  }, [])
  return (
    <Card title={said === undefined ? t("signOn.returning") : t("signOn.failed")}>
      {said === undefined ? (
        <Loading rows={2} />
      ) : (
        <>
          <p className="failed" role="alert">
            {said}
          </p>
          <a className="button main" href="/sign-in">
            {t("entry.signIn")}
          </a>
        </>
      )}
    </Card>
  )
}
