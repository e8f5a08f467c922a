/** Forms of plain fields. An error of the service is shown at the field that it names, other errors above the buttons. */
import { createContext, use, useId, useRef, useState, type ReactNode } from "react"
import { type FieldError, Problem } from "../api/client.ts"
import { t } from "../text/text.ts"
import { problemText } from "./States.tsx"

const Errors = createContext<ReadonlyArray<FieldError>>([])

export type FormValues = {
  readonly text: (name: string) => string
  /** The entered text; undefined if the field is empty. */
  readonly optional: (name: string) => string | undefined
  readonly number: (name: string) => number | undefined
  readonly checked: (name: string) => boolean
  readonly all: (name: string) => ReadonlyArray<string>
}

const valuesOf = (data: FormData): FormValues => {
  const text = (name: string) => {
    const value = data.get(name)
    return typeof value === "string" ? value : ""
  }
  const optional = (name: string) => (text(name).trim() === "" ? undefined : text(name).trim())
  return {
    text,
    optional,
    number: (name) => (optional(name) === undefined ? undefined : Number(text(name))),
    checked: (name) => data.get(name) !== null,
    all: (name) => data.getAll(name).filter((one) => typeof one === "string")
  }
}

export const Form = ({
  children,
  danger = false,
  fields = [],
  isReady = false,
  onCancel,
  onSubmit,
  submit
}: {
  readonly children: ReactNode
  readonly submit: string
  readonly onSubmit: (values: FormValues) => Promise<unknown>
  readonly onCancel?: () => void
  readonly danger?: boolean
  /** Names of the fields that show their own errors. */
  readonly fields?: ReadonlyArray<string>
  /** Everything is filled in already: the focus begins at the submit button, so that Enter submits. */
  readonly isReady?: boolean
}) => {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const errors = error instanceof Problem ? error.errors : []
  const shown = errors.filter(({ pointer }) => fields.includes(pointer.slice(1)))
  const others = errors.filter((one) => !shown.includes(one))
  return (
    <Errors value={shown}>
      <form
        ref={form}
        noValidate={false}
        onSubmit={(event) => {
          event.preventDefault()
          if (isBusy) return
          setBusy(true)
          setError(undefined)
          onSubmit(valuesOf(new FormData(event.currentTarget)))
            .catch((failure: unknown) => {
              setError(failure)
              requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus())
            })
            .finally(() => setBusy(false))
        }}
      >
        {children}
        {error === undefined || (errors.length > 0 && others.length === 0) ? null : (
          <p className="failed" role="alert">
            {others.length > 0
              ? others.map(({ detail, pointer }) => `${pointer} ${detail}`).join("; ")
              : problemText(error)}
          </p>
        )}
        <div className="form-acts">
          {onCancel === undefined ? null : (
            <button type="button" className="button" onClick={onCancel}>
              {t("action.cancel")}
            </button>
          )}
          <button
            type="submit"
            className={`button ${danger ? "danger" : "main"}`}
            aria-disabled={isBusy}
            data-ready={isReady ? "" : undefined}
          >
            {submit}
          </button>
        </div>
      </form>
    </Errors>
  )
}

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: string
}

const useFieldError = (name: string): string | undefined =>
  use(Errors).find(({ pointer }) => pointer === `/${name}`)?.detail

const Frame = ({
  children,
  hint,
  id,
  label,
  name
}: FieldProps & { readonly id: string; readonly children: ReactNode }) => {
  const error = useFieldError(name)
  return (
    <div className="field-row">
      <label htmlFor={id}>{label}</label>
      {children}
      {error === undefined ? null : (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint === undefined ? null : (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

const useField = ({ hint, name }: FieldProps) => {
  const id = useId()
  const error = useFieldError(name)
  const described = [error === undefined ? "" : `${id}-error`, hint === undefined ? "" : `${id}-hint`].join(" ").trim()
  return { id, name, "aria-invalid": error !== undefined, "aria-describedby": described === "" ? undefined : described }
}

export const TextField = ({
  hint,
  label,
  name,
  ...input
}: FieldProps & Omit<React.ComponentProps<"input">, "name" | "id">) => {
  const field = { name, label, ...(hint === undefined ? {} : { hint }) }
  const about = useField(field)
  return (
    <Frame {...field} id={about.id}>
      <input type="text" autoComplete="off" {...input} {...about} />
    </Frame>
  )
}

export const TextArea = ({
  hint,
  label,
  name,
  ...input
}: FieldProps & Omit<React.ComponentProps<"textarea">, "name" | "id">) => {
  const field = { name, label, ...(hint === undefined ? {} : { hint }) }
  const about = useField(field)
  return (
    <Frame {...field} id={about.id}>
      <textarea rows={4} {...input} {...about} />
    </Frame>
  )
}

/** Time zones for a `Select`. The browser's list has one name for each zone: if `own` is an alias or UTC, it is offered too. */
export const zoneOptions = (own: string): ReadonlyArray<readonly [string, string]> =>
  [...new Set([own, ...Intl.supportedValuesOf("timeZone")])].map((zone) => [zone, zone])

export const Select = ({
  hint,
  label,
  name,
  options,
  ...input
}: FieldProps &
  Omit<React.ComponentProps<"select">, "name" | "id"> & {
    readonly options: ReadonlyArray<readonly [value: string, label: string]>
  }) => {
  const field = { name, label, ...(hint === undefined ? {} : { hint }) }
  const about = useField(field)
  return (
    <Frame {...field} id={about.id}>
      <select {...input} {...about}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  )
}

export const CheckBox = ({
  label,
  name,
  ...input
}: Omit<FieldProps, "hint"> & Omit<React.ComponentProps<"input">, "name" | "type">) => (
  <label className="check">
    <input type="checkbox" name={name} {...input} />
    <span>{label}</span>
  </label>
)
