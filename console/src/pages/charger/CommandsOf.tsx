/** The commands of one charger: when each was issued, sent and answered, its effect, and who issued it. */
import { Link } from "@tanstack/react-router"
import type { Command } from "../../api/types.ts"
import { phase } from "../../live/commands.ts"
import { Outside } from "../../parts/Facts.tsx"
import { utc } from "../../parts/format.ts"
import { usePages } from "../../parts/pages.ts"
import { Failed, Loading, NotPermitted } from "../../parts/States.tsx"
import { Pill, type Tone } from "../../parts/Status.tsx"
import { Moment } from "../../parts/Time.tsx"
import { t, word } from "../../text/text.ts"

const tones: Readonly<Record<ReturnType<typeof phase>, Tone>> = {
  waiting: "busy",
  accepted: "busy",
  done: "ok",
  failed: "bad"
}

const answerOf = ({ result }: Command): string =>
  result === null
    ? ""
    : Object.entries(result)
        .filter(([, value]) => typeof value !== "object")
        .map(([key, value]) => `${key} ${String(value)}`)
        .join(" · ")

/** How far after the command its link into the log reaches: what follows from a command normally comes within minutes. */
const effectMillis = 5 * 60_000

const around = ({ createdAt }: Command) => ({
  from: utc(Date.parse(createdAt) - 1_000),
  to: utc(Date.parse(createdAt) + effectMillis)
})

export const CommandsOf = ({ chargerId }: { readonly chargerId: string }) => {
  const pages = usePages("commands.listOfCharger", { params: { chargerId }, query: { limit: 30 } })
  const rows = pages.rows as ReadonlyArray<Command>
  if (pages.missing.length > 0) return <NotPermitted permissions={pages.missing} />
  if (pages.error !== null) return <Failed what={t("command.notRead")} error={pages.error} retry={pages.retry} />
  if (pages.isLoading) return <Loading rows={3} />
  if (rows.length === 0) return <p className="none">{t("command.none")}</p>
  return (
    <ul className="rows">
      {rows.map((command) => (
        <li key={command.id}>
          <span>
            <b>{word("commandType", command.type)}</b> <Moment at={command.createdAt} />
            <small>
              {t("command.by", { who: command.issuedBy })}
              {answerOf(command) === "" ? null : (
                <>
                  {" · "}
                  <Outside>{answerOf(command)}</Outside>
                </>
              )}
            </small>
          </span>
          <Link
            to="."
            className="button small"
            search={((old: object) => ({ ...old, log: "sequence", ...around(command) })) as never}
          >
            {t("log.title")}
          </Link>
          <Pill tone={tones[phase(command)]}>{word("commandStatus", command.status)}</Pill>
        </li>
      ))}
    </ul>
  )
}
