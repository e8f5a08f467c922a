/** One charger: what it does, which actions it allows, what it sent, and everything else about it in tabs. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "../api/client.ts"
import type { Answer } from "../api/types.ts"
import { may, useMe } from "../app/me.ts"
import { useShortcut } from "../app/shortcuts.ts"
import { numberOf, type Row, type State } from "../live/fleet.ts"
import { useCharger, useLive } from "../live/store.ts"
import { Act } from "../parts/Act.tsx"
import { Outside } from "../parts/Facts.tsx"
import { kw, kwh } from "../parts/format.ts"
import { Side, Tabs, useOpen, useTitle } from "../parts/Page.tsx"
import { useFilters } from "../parts/pages.ts"
import { Spark } from "../parts/Spark.tsx"
import { Failed, Loading } from "../parts/States.tsx"
import { Status } from "../parts/Status.tsx"
import { Ago, Moment } from "../parts/Time.tsx"
import { t, word } from "../text/text.ts"
import { Connect } from "./AddCharger.tsx"
import { Availability } from "./charger/Availability.tsx"
import { ChargerSettings } from "./charger/ChargerSettings.tsx"
import { CommandsOf } from "./charger/CommandsOf.tsx"
import { Configuration } from "./charger/Configuration.tsx"
import { ConnectedDay } from "./charger/Connected.tsx"
import { Log } from "./charger/Log.tsx"
import { Profiles } from "./charger/Profiles.tsx"
import { SessionsOf } from "./charger/SessionsOf.tsx"
import { CommandDialog, type CommandType, MoreCommands } from "./Commands.tsx"

type Connector = Row["connectors"][number]
type Plug = Answer<"chargers.get">["evses"][number]["connectors"][number]

const ConnectorLine = ({
  one,
  plug,
  row
}: {
  readonly row: Row
  readonly one: Connector
  readonly plug: Plug | undefined
}) => {
  const state: State = row.connected ? one.status : "Offline"
  const note = row.connected && one.status === "Faulted" ? [one.errorCode, one.info].filter(Boolean).join(" · ") : ""
  return (
    <li>
      <span className="plug-number">{numberOf(one, row.connectors)}</span>
      <div>
        <Status state={state} />
        <small>
          {plug === undefined
            ? null
            : `${word("plug", plug.standard)} · ${t("connector.upTo", { kw: kw(plug.maxPowerW) })}`}
          {one.since === 0 ? null : (
            <>
              {" · "}
              <Ago at={one.since} />
            </>
          )}
        </small>
        {note === "" ? null : (
          <small className="trouble">
            <Outside>{note}</Outside>
          </small>
        )}
      </div>
      {one.sessionId === undefined ? null : (
        <Link className="now-charging" to={`/sessions/${one.sessionId}` as never} search={{} as never}>
          <b>{one.powerW === undefined ? "–" : kw(one.powerW)}</b> kW
          <small>{one.energyWh === undefined ? "" : `${kwh(one.energyWh)} kWh`}</small>
        </Link>
      )}
    </li>
  )
}

export const Charger = () => {
  const id = useOpen() ?? ""
  const me = useMe()
  const { isComplete, problem } = useLive()
  const row = useCharger(id)
  const [filters, set] = useFilters()
  const [command, setCommand] = useState<CommandType | "more" | undefined>()
  const { data: details } = useQuery({
    queryKey: ["chargers.get", id],
    enabled: may(me, "chargers.get"),
    queryFn: () => call("chargers.get", { params: { chargerId: id } })
  })
  useTitle(row?.name ?? id)
  const running = row?.connectors.some(({ sessionId }) => sessionId !== undefined) === true
  const canSend = row !== undefined && may(me, "commands.issue")
  useShortcut(
    "s",
    running ? t("command.stop") : t("command.start"),
    () => setCommand(running ? "RemoteStop" : "RemoteStart"),
    canSend
  )
  useShortcut("r", t("command.reset"), () => setCommand("Reset"), canSend)
  if (row === undefined) {
    return (
      <Side back="/chargers" label={t("charger.one")} title={id}>
        {!isComplete ? (
          <Loading />
        ) : problem === undefined ? (
          <p>{t("charger.unknown", { id })}</p>
        ) : (
          <Failed what={t("charger.notRead")} error={problem} retry={() => location.reload()} />
        )}
      </Side>
    )
  }
  const asked = command ?? (filters["do"] === "start" ? "RemoteStart" : undefined)
  const close = () => {
    setCommand(undefined)
    if (filters["do"] !== undefined) set({ do: undefined })
  }
  return (
    <Side
      back="/chargers"
      label={row.name}
      history={`charger:${row.id}`}
      title={<Outside>{row.name}</Outside>}
      sub={
        <>
          <code>{row.id}</code>
          {row.siteName === "" ? null : (
            <>
              {" · "}
              <Link to={`/sites/${row.siteId}` as never} search={{} as never}>
                <Outside>{row.siteName}</Outside>
              </Link>
            </>
          )}
          {row.maker === "" ? null : (
            <>
              {" · "}
              <Outside>{row.maker}</Outside>
            </>
          )}
          {row.firmware === "" ? null : (
            <>
              {" "}
              <Outside>{row.firmware}</Outside>
            </>
          )}
        </>
      }
      acts={
        <>
          <Act needs={["commands.issue"]} kind="main" onClick={() => setCommand("RemoteStart")}>
            {t("command.start")}
          </Act>
          <Act needs={["commands.issue"]} off={!running} onClick={() => setCommand("RemoteStop")}>
            {t("command.stop")}
          </Act>
          <Act needs={["commands.issue"]} onClick={() => setCommand("Reset")}>
            {t("command.reset")}
          </Act>
          <Act needs={["commands.issue"]} onClick={() => setCommand("more")}>
            {t("command.more")}
          </Act>
        </>
      }
    >
      {row.connectors.length === 0 ? null : (
        <ul className="plugs">
          {row.connectors.map((one) => (
            <ConnectorLine
              key={`${one.evseId}.${one.connectorId}`}
              row={row}
              one={one}
              plug={details?.evses
                .find(({ evseId }) => evseId === one.evseId)
                ?.connectors.find(({ connectorId }) => connectorId === one.connectorId)}
            />
          ))}
        </ul>
      )}
      {row.lastSeen === undefined ? null : (
        <>
          <ConnectedDay chargerId={row.id} />
          <Spark days={1} chargerId={row.id} />
        </>
      )}
      {row.connected || row.lastSeen === undefined ? null : (
        <p className="trouble">
          {t("charger.silentSince")} <Moment at={row.offlineSince ?? row.lastSeen} />
        </p>
      )}
      {row.lastSeen === undefined ? <Connect chargerId={row.id} password={undefined} /> : null}
      <Log chargerId={row.id} />
      <Tabs
        tabs={[
          { id: "sessions", label: t("place.sessions"), show: () => <SessionsOf chargerId={row.id} /> },
          { id: "configuration", label: t("charger.configuration"), show: () => <Configuration row={row} /> },
          { id: "commands", label: t("charger.commands"), show: () => <CommandsOf chargerId={row.id} /> },
          { id: "profiles", label: t("charger.profiles"), show: () => <Profiles row={row} /> },
          { id: "availability", label: t("charger.availability"), show: () => <Availability row={row} /> },
          { id: "security", label: t("charger.security"), show: () => <ChargerSettings row={row} /> }
        ]}
      />
      {asked === "more" ? <MoreCommands onChoose={setCommand} onClose={close} /> : null}
      {asked === undefined || asked === "more" ? null : <CommandDialog type={asked} row={row} onClose={close} />}
    </Side>
  )
}
