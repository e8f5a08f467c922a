/**
 * Quirks of charger models: what some models do differently, and which tolerances the service grants them. The form is generated from the service's
 * own list of tolerances. A tolerance without a text in the catalogue is shown in the service's words.
 */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { call, Problem } from "../../api/client.ts"
import type { Answer } from "../../api/types.ts"
import { missingFor, useMe } from "../../app/me.ts"
import { changed } from "../../live/store.ts"
import { Act } from "../../parts/Act.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Outside } from "../../parts/Facts.tsx"
import { CheckBox, Form, type FormValues, Select, TextArea, TextField } from "../../parts/Form.tsx"
import { useFilters } from "../../parts/pages.ts"
import { Failed, Loading, NotPermitted } from "../../parts/States.tsx"
import { t, tn, word } from "../../text/text.ts"

type Book = Answer<"expectations.quirks">
type Rule = Book["rules"][number]
type Kind = Book["kinds"][number]
type Value = string | number | boolean

const said = (kind: Kind, part: "title" | "about" | "useWhen"): string => {
  const key = `${kind.name}.${part}`
  const text = word("quirk", key)
  return text === key ? kind[part] : text
}

const valuesOf = (rule: Pick<Rule, "tolerances"> | undefined): Readonly<Record<string, Value>> =>
  (rule?.tolerances ?? {}) as Readonly<Record<string, Value>>

const shown = (kind: Kind, value: Value): string => {
  if (value === false) return `${said(kind, "title")}: ${t("quirks.off")}`
  if (value === true || (kind.type === "Choice" && kind.choices.length === 1)) return said(kind, "title")
  return `${said(kind, "title")}: ${String(value)}${kind.unit === null ? "" : ` ${kind.unit}`}`
}

/** The models that a rule applies to, shown by its patterns. */
const Makes = ({ rule }: { readonly rule: Rule }) => (
  <small>
    <Outside>{[rule.vendor, rule.model, rule.firmware].filter(Boolean).join(" · ")}</Outside>
  </small>
)

const Entry = ({
  kinds,
  onEdit,
  onRemove,
  rule
}: {
  readonly rule: Rule
  readonly kinds: ReadonlyArray<Kind>
  readonly onEdit?: () => void
  readonly onRemove?: () => void
}) => (
  <li>
    <span>
      <b>
        <Outside>{rule.name}</Outside>
      </b>
      <Makes rule={rule} />
      {kinds
        .filter(({ name }) => valuesOf(rule)[name] !== undefined)
        .map((kind) => (
          <small key={kind.name} className="secondary">
            {shown(kind, valuesOf(rule)[kind.name]!)}
          </small>
        ))}
      {rule.evidence === undefined ? null : (
        <small className="secondary">
          <Outside>{rule.evidence}</Outside>
        </small>
      )}
    </span>
    <small title={rule.chargerIds.join(", ")}>{tn("site.chargers", rule.chargers)}</small>
    {onEdit === undefined || onRemove === undefined ? null : (
      <span className="acts">
        <Act needs={["expectations.setQuirks"]} kind="small" onClick={onEdit}>
          {t("action.edit")}
        </Act>
        <Act needs={["expectations.setQuirks"]} kind="small" onClick={onRemove}>
          {t("action.remove")}
        </Act>
      </span>
    )}
  </li>
)

/** One tolerance: a box, what it does and when to use it, and its value if it is granted. */
const Tolerance = ({ kind, value }: { readonly kind: Kind; readonly value: Value | undefined }) => {
  const [isGranted, setGranted] = useState(value !== undefined)
  const choices = kind.choices.map((choice) => [choice, choice] as const)
  return (
    <div className="element" role="group" aria-label={said(kind, "title")}>
      <CheckBox
        name={`${kind.name}.granted`}
        label={said(kind, "title")}
        checked={isGranted}
        onChange={({ target }) => setGranted(target.checked)}
      />
      <p className="secondary">{said(kind, "about")}</p>
      <p className="field-hint">{t("quirks.useWhen", { text: said(kind, "useWhen") })}</p>
      {isGranted && kind.type === "Number" ? (
        <TextField
          name={kind.name}
          label={t("quirks.value", { unit: kind.unit ?? "" })}
          hint={t("quirks.bounds", { minimum: kind.minimum ?? 0, maximum: kind.maximum ?? 0 })}
          type="number"
          required
          step={1}
          min={kind.minimum ?? undefined}
          max={kind.maximum ?? undefined}
          defaultValue={value === undefined ? "" : String(value)}
        />
      ) : null}
      {isGranted && kind.type === "Choice" && choices.length > 1 ? (
        <Select name={kind.name} label={t("quirks.choice")} options={choices} defaultValue={String(value ?? "")} />
      ) : null}
      {isGranted && kind.type === "Yes" ? (
        <Select
          name={kind.name}
          label={t("quirks.choice")}
          options={[
            ["true", t("quirks.on")],
            ["false", t("quirks.offAbout")]
          ]}
          defaultValue={String(value ?? true)}
        />
      ) : null}
    </div>
  )
}

const grantedIn = (kinds: ReadonlyArray<Kind>, values: FormValues): Rule["tolerances"] =>
  Object.fromEntries(
    kinds
      .filter(({ name }) => values.checked(`${name}.granted`))
      .map(({ choices, name, type }) => {
        if (type === "Number") return [name, values.number(name) ?? 0]
        return [name, type === "Yes" ? values.text(name) !== "false" : (values.optional(name) ?? choices[0] ?? "")]
      })
  )

const refused = (detail: string) => new Problem(400, { detail })

/** Applies a change to the current rules: another operator may have changed other rules meanwhile. */
const change = async (changing: (rules: ReadonlyArray<Omit<Rule, "chargers" | "chargerIds">>) => typeof rules) => {
  const { rules } = await call("expectations.quirks", {})
  const given = rules.map(({ chargerIds: _, chargers: __, ...rule }) => rule)
  await call("expectations.setQuirks", { body: { rules: changing(given) } })
  changed("expectations.quirks")
}

const Edit = ({
  kinds,
  onClose,
  preset,
  rule
}: {
  readonly kinds: ReadonlyArray<Kind>
  readonly rule: Rule | undefined
  readonly preset: Readonly<Record<string, string | undefined>>
  readonly onClose: () => void
}) => (
  <Dialog wide title={rule === undefined ? t("quirks.add") : t("quirks.edit")} onClose={onClose}>
    <Form
      submit={t("action.save")}
      onCancel={onClose}
      onSubmit={async (values) => {
        const pattern = (name: "vendor" | "model" | "firmware" | "evidence") => {
          const text = values.optional(name)
          return text === undefined ? {} : { [name]: text }
        }
        const next = {
          name: values.text("name").trim(),
          ...pattern("vendor"),
          ...pattern("model"),
          ...pattern("firmware"),
          ...pattern("evidence"),
          tolerances: grantedIn(kinds, values)
        }
        if (next.name === "") throw refused(t("quirks.nameMissing"))
        if (Object.keys(next).every((name) => !["vendor", "model", "firmware"].includes(name))) {
          throw refused(t("quirks.makeMissing"))
        }
        if (Object.keys(next.tolerances).length === 0) throw refused(t("quirks.nothingGranted"))
        await change((rules) => {
          if (next.name !== rule?.name && rules.some(({ name }) => name === next.name)) {
            throw refused(t("quirks.nameTaken"))
          }
          return rule !== undefined && rules.some(({ name }) => name === rule.name)
            ? rules.map((one) => (one.name === rule.name ? next : one))
            : [...rules, next]
        })
        onClose()
      }}
    >
      <TextField name="name" label={t("quirks.name")} required maxLength={100} defaultValue={rule?.name ?? ""} />
      <div className="field-pair">
        {(["vendor", "model", "firmware"] as const).map((name) => (
          <TextField
            key={name}
            name={name}
            label={t(`quirks.${name}`)}
            maxLength={100}
            defaultValue={rule === undefined ? (preset[name] ?? "") : (rule[name] ?? "")}
          />
        ))}
      </div>
      <p className="field-hint">{t("quirks.patterns")}</p>
      {kinds.map((kind) => (
        <Tolerance key={kind.name} kind={kind} value={valuesOf(rule)[kind.name]} />
      ))}
      <TextArea
        name="evidence"
        label={t("quirks.evidence")}
        rows={2}
        maxLength={500}
        defaultValue={rule?.evidence ?? ""}
      />
    </Form>
  </Dialog>
)

export const Quirks = () => {
  const missing = missingFor(useMe(), "expectations.quirks")
  const [filters, set] = useFilters()
  const [open, setOpen] = useState<{ readonly rule: Rule | undefined; readonly does: "edit" | "remove" } | undefined>()
  const { data, error, refetch } = useQuery({
    queryKey: ["expectations.quirks"],
    enabled: missing.length === 0,
    queryFn: () => call("expectations.quirks", {})
  })
  if (missing.length > 0) return <NotPermitted permissions={missing} />
  if (error !== null) return <Failed what={t("quirks.notRead")} error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading />
  const { builtIn, kinds, rules } = data
  const isAdding = filters["do"] === "add"
  const close = () => {
    setOpen(undefined)
    if (isAdding) set({ do: undefined, vendor: undefined, model: undefined })
  }
  const removed = open?.does === "remove" ? open.rule : undefined
  return (
    <>
      <section className="card">
        <h2>{t("quirks.own")}</h2>
        <p className="secondary">{t("quirks.about")}</p>
        <div className="acts">
          <Act needs={["expectations.setQuirks"]} onClick={() => set({ do: "add" })}>
            {t("quirks.add")}
          </Act>
        </div>
        {rules.length === 0 ? <p className="none">{t("quirks.none")}</p> : null}
        <ul className="rows">
          {rules.map((rule) => (
            <Entry
              key={rule.name}
              rule={rule}
              kinds={kinds}
              onEdit={() => setOpen({ rule, does: "edit" })}
              onRemove={() => setOpen({ rule, does: "remove" })}
            />
          ))}
        </ul>
      </section>
      <section className="card">
        <h2>{t("quirks.builtIn")}</h2>
        <p className="secondary">{t("quirks.builtInAbout")}</p>
        <ul className="rows">
          {builtIn.map((rule) => (
            <Entry key={rule.name} rule={rule} kinds={kinds} />
          ))}
        </ul>
      </section>
      {isAdding || open?.does === "edit" ? (
        <Edit kinds={kinds} rule={isAdding ? undefined : open?.rule} preset={filters} onClose={close} />
      ) : null}
      {removed === undefined ? null : (
        <Dialog title={t("quirks.remove")} onClose={close}>
          <Form
            danger
            submit={t("action.remove")}
            onCancel={close}
            onSubmit={async () => {
              await change((all) => all.filter(({ name }) => name !== removed.name))
              close()
            }}
          >
            <p>
              <b>
                <Outside>{removed.name}</Outside>
              </b>
              {": "}
              {tn("site.chargers", removed.chargers)}. {t("quirks.removeAbout")}
            </p>
          </Form>
        </Dialog>
      )}
    </>
  )
}
