/** Sending a command to a charger: a table of the fields that each command needs. The answer is followed in the header and on the charger's page. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../api/client.ts"
import type { Asked } from "../api/types.ts"
import { may, useMe } from "../app/me.ts"
import { follow } from "../live/commands.ts"
import { numberOf, type Row } from "../live/fleet.ts"
import { changed } from "../live/store.ts"
import { Dialog } from "../parts/Dialog.tsx"
import { Form, type FormValues, Select, TextField } from "../parts/Form.tsx"
import { t, word } from "../text/text.ts"

type Body = Asked<"commands.issue">["body"]

type Input = "idTag" | "connector" | "connectorOrAll" | "session" | "text" | "number" | "dateTime" | "file"

interface Field {
  readonly name: string
  readonly input: Input | ReadonlyArray<string>
  readonly isOptional?: boolean
}

const field = (name: string, input: Field["input"] = "text", isOptional = false): Field => ({ name, input, isOptional })

/** Commands of OCPP 1.6 that an operator sends, with their fields. */
export const commandFields = {
  RemoteStart: [field("idTag", "idTag"), field("connectorId", "connector")],
  RemoteStop: [field("sessionId", "session")],
  Reset: [field("resetType", ["Soft", "Hard"])],
  UnlockConnector: [field("connectorId", "connector")],
  ChangeAvailability: [
    field("connectorId", "connectorOrAll"),
    field("operationalStatus", ["Inoperative", "Operative"])
  ],
  TriggerMessage: [
    field("requestedMessage", [
      "StatusNotification",
      "MeterValues",
      "Heartbeat",
      "BootNotification",
      "FirmwareStatusNotification",
      "DiagnosticsStatusNotification"
    ]),
    field("connectorId", "connector", true)
  ],
  ChangeConfiguration: [field("key"), field("value", "text", true)],
  GetConfiguration: [field("key", "text", true)],
  ClearCache: [],
  GetLocalListVersion: [],
  ReserveNow: [field("connectorId", "connectorOrAll"), field("idTag", "idTag"), field("expiryDate", "dateTime")],
  CancelReservation: [field("reservationId", "number")],
  GetDiagnostics: [],
  UpdateFirmware: [field("fileId", "file"), field("retrieveDate", "dateTime")],
  GetCompositeSchedule: [
    field("connectorId", "connectorOrAll"),
    field("duration", "number"),
    field("chargingRateUnit", ["W", "A"], true)
  ],
  ClearChargingProfile: [field("id", "number", true), field("connectorId", "connectorOrAll", true)],
  DataTransfer: [field("vendorId"), field("messageId", "text", true), field("data", "text", true)]
} as const satisfies Readonly<Record<string, ReadonlyArray<Field>>>

export type CommandType = keyof typeof commandFields

/** Commands that cannot be undone. */
const dangerous: ReadonlySet<string> = new Set(["Reset", "RemoteStop", "UpdateFirmware"])

const soon = (minutes: number): string => {
  const at = new Date(Date.now() + minutes * 60_000)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const valueOf = (values: FormValues, { input, isOptional, name }: Field): unknown => {
  const text = values.optional(name)
  if (text === undefined) return isOptional === true ? undefined : ""
  if (input === "connector" || input === "connectorOrAll" || input === "number") return Number(text)
  return input === "dateTime" ? new Date(text).toISOString() : text
}

const hint = (type: CommandType): string | undefined =>
  type === "Reset" || type === "UnlockConnector" || type === "ClearCache" || type === "GetDiagnostics"
    ? t(`commandHint.${type}`)
    : undefined

const Input = ({
  field: { input, isOptional = false, name },
  row,
  preset
}: {
  readonly field: Field
  readonly row: Row
  readonly preset: string | undefined
}) => {
  const me = useMe()
  const { data: cards } = useQuery({
    queryKey: ["tokens.list", { some: true }],
    enabled: input === "idTag" && may(me, "tokens.list"),
    queryFn: () => call("tokens.list", { query: { limit: 200, status: "Accepted" } })
  })
  const { data: files } = useQuery({
    queryKey: ["files.list", { kind: "Firmware" }],
    enabled: input === "file",
    queryFn: () => call("files.list", { query: { kind: "Firmware", limit: 200 } })
  })
  const label = word("commandField", name)
  const none: ReadonlyArray<readonly [string, string]> = isOptional ? [["", t("command.any")]] : []
  if (typeof input !== "string") {
    return (
      <Select
        name={name}
        label={label}
        options={[...none, ...input.map((one) => [one, word("commandValue", one)] as const)]}
      />
    )
  }
  // OCPP 1.6 has no EVSEs: its connector numbers are the numbers of our EVSEs.
  const connectors = row.connectors.map(
    (one) => [String(one.evseId), t("connector.one", { id: numberOf(one, row.connectors) })] as const
  )
  switch (input) {
    case "idTag":
      return (
        <>
          <TextField
            name={name}
            label={label}
            list="known-cards"
            required
            autoFocus
            defaultValue={preset ?? ""}
            maxLength={20}
            hint={t("command.cardHint")}
          />
          <datalist id="known-cards">
            {(cards?.items ?? []).map(({ note, uid }) => (
              <option key={uid} value={uid}>
                {note ?? ""}
              </option>
            ))}
          </datalist>
        </>
      )
    case "connector":
      return <Select name={name} label={label} options={[...none, ...connectors]} defaultValue={preset ?? ""} />
    case "connectorOrAll":
      return <Select name={name} label={label} options={[...none, ["0", t("connector.all")], ...connectors]} />
    case "session":
      return (
        <Select
          name={name}
          label={label}
          defaultValue={preset ?? ""}
          options={row.connectors.flatMap((one) =>
            one.sessionId === undefined
              ? []
              : [[one.sessionId, t("connector.one", { id: numberOf(one, row.connectors) })] as const]
          )}
        />
      )
    case "number":
      return <TextField name={name} label={label} type="number" required={!isOptional} defaultValue={preset ?? ""} />
    case "dateTime":
      return <TextField name={name} label={label} type="datetime-local" required defaultValue={soon(60)} />
    case "file":
      return (
        <Select
          name={name}
          label={label}
          options={(files?.items ?? []).map(({ id, name: text }) => [id, text] as const)}
        />
      )
    case "text":
      return <TextField name={name} label={label} required={!isOptional} defaultValue={preset ?? ""} />
  }
}

export const CommandDialog = ({
  onClose,
  preset = {},
  row,
  type
}: {
  readonly type: CommandType
  readonly row: Row
  readonly preset?: Readonly<Record<string, string>>
  readonly onClose: () => void
}) => {
  const fields: ReadonlyArray<Field> = commandFields[type]
  const charging = row.connectors.filter(({ sessionId }) => sessionId !== undefined).length
  const about = hint(type)
  return (
    <Dialog title={`${word("commandType", type)} · ${row.name}`} onClose={onClose}>
      <Form
        submit={word("commandType", type)}
        danger={dangerous.has(type)}
        isReady={type === "RemoteStop" && (preset["sessionId"] !== undefined || charging === 1)}
        onCancel={onClose}
        fields={fields.map(({ name }) => name)}
        onSubmit={async (values) => {
          const given = fields.flatMap((one) => {
            const value = valueOf(values, one)
            return value === undefined ? [] : [[one.name, value] as const]
          })
          const body = { type, ...Object.fromEntries(given) } as unknown as Body
          follow(await call("commands.issue", { params: { chargerId: row.id }, body }))
          changed("commands.listOfCharger", "commands.list")
          onClose()
        }}
      >
        {about === undefined ? null : <p className="secondary">{about}</p>}
        {type === "Reset" && charging > 0 ? <p className="trouble">{t("command.charging", { n: charging })}</p> : null}
        {row.connected ? null : <p className="trouble">{t("command.offline")}</p>}
        {fields.map((one) => (
          <Input key={one.name} field={one} row={row} preset={preset[one.name]} />
        ))}
      </Form>
    </Dialog>
  )
}

/** The remaining commands, behind one button. */
export const MoreCommands = ({
  onChoose,
  onClose
}: {
  readonly onChoose: (type: CommandType) => void
  readonly onClose: () => void
}) => {
  const [typed, setTyped] = useState("")
  const types = (Object.keys(commandFields) as ReadonlyArray<CommandType>).filter((type) =>
    `${type} ${word("commandType", type)}`.toLowerCase().includes(typed.toLowerCase())
  )
  return (
    <Dialog title={t("command.more")} onClose={onClose} isLight>
      <input
        className="palette-field"
        aria-label={t("command.find")}
        placeholder={t("command.find")}
        autoFocus
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={({ key }) => {
          if (key === "Enter" && types[0] !== undefined) onChoose(types[0])
        }}
      />
      <ul className="choices">
        {types.map((type) => (
          <li key={type}>
            <button type="button" className="choice" onClick={() => onChoose(type)}>
              {word("commandType", type)} <small>{type}</small>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
