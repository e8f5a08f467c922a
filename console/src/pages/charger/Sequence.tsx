/** Frames as a sequence diagram, oldest first: sender, receiver, action and answer. Screen readers read it as a list. */
import { type Exchange, gist, took } from "../../live/log.ts"
import { Outside } from "../../parts/Facts.tsx"
import { clock, utc } from "../../parts/format.ts"
import { t } from "../../text/text.ts"

/** More frames than this would not be readable as a picture. */
const drawnMost = 80

const Step = ({ exchange }: { readonly exchange: Exchange }) => {
  const { answer, asked, more } = exchange
  const at = Date.parse(asked.at)
  const isFromCharger = asked.direction === "in"
  const millis = took(exchange)
  return (
    <li className={isFromCharger ? "in" : "out"}>
      <time dateTime={utc(at)} title={utc(at)}>
        {clock(at)}
      </time>
      <span className="hide">{isFromCharger ? t("log.from") : t("log.to")}</span>
      <div className="arrow call">
        <b>
          <Outside>{asked.action === "" ? "?" : asked.action}</Outside>
          {more === 0 ? null : ` × ${more + 1}`}
        </b>
        <small>
          <Outside>{gist(asked)}</Outside>
        </small>
      </div>
      {answer === undefined ? (
        asked.kind === "CALL" ? (
          <div className="arrow reply none">{t("log.noAnswer")}</div>
        ) : null
      ) : (
        <div className={`arrow reply${answer.kind === "CALLERROR" ? " trouble" : ""}`}>
          <span>
            <Outside>{gist(answer) === "" ? t("log.ok") : gist(answer)}</Outside>
          </span>
          <small>{millis} ms</small>
        </div>
      )}
    </li>
  )
}

export const Sequence = ({ exchanges }: { readonly exchanges: ReadonlyArray<Exchange> }) => {
  const drawn = exchanges.slice(0, drawnMost).toReversed()
  if (drawn.length === 0) return null
  return (
    <div className="sequence" tabIndex={0} role="region" aria-label={t("log.sequence")}>
      <header aria-hidden="true">
        <span>{t("charger.one")}</span>
        <span>{t("log.platform")}</span>
      </header>
      {exchanges.length > drawnMost ? (
        <p className="secondary">{t("log.drawn", { n: drawnMost, of: exchanges.length })}</p>
      ) : null}
      <ol>
        {drawn.map((exchange) => (
          <Step key={exchange.asked.id} exchange={exchange} />
        ))}
      </ol>
    </div>
  )
}
