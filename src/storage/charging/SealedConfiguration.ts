/**
 * Configuration keys with secrets as they are stored, of chargers and in templates: the secret masked in `value`, and the value itself encrypted in
 * `sealed`. It is opened only to compare it, to send it to the charger, and for those who may see it.
 */
import { Schema } from "effect"
import type { ConfigurationKey } from "../../domain/command/ChargerCommand.ts"
import { sealPurposes } from "../../domain/values/SealPurpose.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"
import { shownValue } from "../../domain/values/SecretText.ts"

type Sealing = Pick<Secrets["Service"], "open" | "seal">

/** The purpose under which values are sealed. */
const sealPurpose = sealPurposes.configuration

/** A template as it is stored. */
export const StoredTemplate = Schema.Struct({
  keys: Schema.Array(
    Schema.Struct({ key: Schema.String, value: Schema.String, sealed: Schema.optionalKey(Schema.String) })
  )
})

/** A charger's configuration as it is stored. */
export const StoredConfiguration = Schema.Array(
  Schema.Struct({
    key: Schema.String,
    value: Schema.optional(Schema.NullOr(Schema.String)),
    readonly: Schema.Boolean,
    sealed: Schema.optionalKey(Schema.String)
  })
)

interface Entry {
  readonly key: string
  readonly value?: string | null | undefined
}

/** The same object if the value has no secret. */
export const sealedEntry = <E extends Entry>({ seal }: Pick<Sealing, "seal">, entry: E): E & { sealed?: string } => {
  const { key, value } = entry
  if (value === undefined || value === null) return entry
  const shown = shownValue(key, value)
  return shown === value ? entry : { ...entry, value: shown, sealed: seal(sealPurpose, value) }
}

/** The stored entry with its value, without `sealed`. The value stays masked if it was sealed under another key. */
export const openedEntry = <E extends Entry & { readonly sealed?: string | undefined }>(
  { open }: Pick<Sealing, "open">,
  { sealed, ...entry }: E
): Omit<E, "sealed"> => (sealed === undefined ? entry : { ...entry, value: open(sealPurpose, sealed) ?? entry.value })

/** A charger's keys with their values. */
export const openedConfiguration = (
  secrets: Pick<Sealing, "open">,
  keys: typeof StoredConfiguration.Type
): ReadonlyArray<ConfigurationKey> =>
  keys.map((one) => {
    const { key, readonly, value } = openedEntry(secrets, one)
    return { key, readonly, value: value ?? undefined }
  })
