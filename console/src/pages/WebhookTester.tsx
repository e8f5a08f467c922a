/**
 * Shows step by step how the signature of a webhook is computed, with a message and secret that the person enters. Everything is computed in this
 * page: the secret is sent nowhere.
 */
import { useEffect, useState } from "react"
import { prefix, signatureOf } from "../live/signature.ts"
import { Copy } from "../parts/Act.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Facts } from "../parts/Facts.tsx"
import { t } from "../text/text.ts"

const Area = ({
  label,
  onChange,
  rows = 1,
  value
}: {
  readonly label: string
  readonly value: string
  readonly rows?: number
  readonly onChange: (value: string) => void
}) => (
  <div className="field-row">
    <label>
      <span>{label}</span>
      {rows > 1 ? (
        <textarea rows={rows} value={value} onChange={({ target }) => onChange(target.value)} />
      ) : (
        <input type="text" autoComplete="off" value={value} onChange={({ target }) => onChange(target.value)} />
      )}
    </label>
  </div>
)

export const WebhookTester = ({ onClose }: { readonly onClose: () => void }) => {
  const [secret, setSecret] = useState("")
  const [id, setId] = useState("msg_1")
  const [timestamp, setTimestamp] = useState(String(Math.floor(Date.now() / 1000)))
  const [body, setBody] = useState('{"type":"session.ended"}')
  const [received, setReceived] = useState("")
  const [signature, setSignature] = useState<string | undefined>()
  const content = `${id}.${timestamp}.${body}`
  useEffect(() => {
    let isCurrent = true
    void signatureOf(secret, content).then((made) => {
      if (isCurrent) setSignature(made)
    })
    return () => {
      isCurrent = false
    }
  }, [secret, content])
  const isMatch = signature !== undefined && received.split(/\s+/).includes(signature)
  return (
    <Dialog title={t("webhook.tester")} onClose={onClose} wide>
      <p className="secondary">{t("webhook.testerText")}</p>
      <Area label={t("webhook.secret")} value={secret} onChange={setSecret} />
      <Area label="webhook-id" value={id} onChange={setId} />
      <Area label="webhook-timestamp" value={timestamp} onChange={setTimestamp} />
      <Area label={t("webhook.body")} value={body} onChange={setBody} rows={4} />
      <Facts
        rows={[
          [t("webhook.signedText"), <code key="content">{content}</code>],
          [t("webhook.keyBytes"), signature === undefined ? t("webhook.noSecret") : t("webhook.keyFrom", { prefix })],
          [
            "webhook-signature",
            signature === undefined ? null : (
              <>
                <code data-signature>{signature}</code> <Copy text={signature} />
              </>
            )
          ]
        ]}
      />
      <Area label={t("webhook.received")} value={received} onChange={setReceived} />
      {received === "" || signature === undefined ? null : (
        <p role="status" className={isMatch ? "" : "trouble"}>
          {isMatch ? t("webhook.match") : t("webhook.noMatch")}
        </p>
      )}
    </Dialog>
  )
}
