/** Asks for the second factor again before a key is created, a role is changed or many chargers are commanded. */
import { useState } from "react"
import { call } from "../api/client.ts"
import { settleFactor } from "../live/factor.ts"
import { hasPasskeys, passkeyAnswer, wasCancelled } from "../live/passkeys.ts"
import { Dialog } from "../parts/Dialog.tsx"
import { Form, TextField } from "../parts/Form.tsx"
import { problemText } from "../parts/States.tsx"
import { t } from "../text/text.ts"

export const ShowFactor = () => {
  const [said, setSaid] = useState("")
  const byPasskey = async () => {
    try {
      await call("me.proveFactor", { body: { credential: await passkeyAnswer() } })
      settleFactor(true)
    } catch (error) {
      setSaid(wasCancelled(error) ? "" : problemText(error))
    }
  }
  return (
    <Dialog title={t("factor.title")} onClose={() => settleFactor(false)}>
      <p>{t("factor.text")}</p>
      {said === "" ? null : (
        <p className="failed" role="alert">
          {said}
        </p>
      )}
      <Form
        submit={t("factor.show")}
        fields={["code"]}
        onCancel={() => settleFactor(false)}
        onSubmit={async (values) => {
          await call("me.proveFactor", { body: { code: values.text("code").trim() } })
          settleFactor(true)
        }}
      >
        <TextField
          name="code"
          label={t("entry.code")}
          hint={t("entry.codeHint")}
          autoComplete="one-time-code"
          inputMode="text"
          required
        />
      </Form>
      {hasPasskeys() ? (
        <button type="button" className="button" onClick={() => void byPasskey()}>
          {t("factor.passkey")}
        </button>
      ) : null}
    </Dialog>
  )
}
