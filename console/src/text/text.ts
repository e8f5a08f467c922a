/**
 * All texts of the console come from one catalogue. English is complete and always loaded. Another language is one file that is loaded when it is
 * chosen; texts that it lacks are shown in English.
 */
import { useSyncExternalStore } from "react"
import { en } from "./en.ts"

export type Key = keyof typeof en
export type Catalogue = { readonly [K in Key]?: string }

type Named<S extends string> = S extends `${string}{${infer P}}${infer Rest}` ? P | Named<Rest> : never
type Values<K extends Key> = { readonly [P in Named<(typeof en)[K]>]: string | number }

export const languages = { en: "English", sv: "Svenska", de: "Deutsch" } as const
export type Language = keyof typeof languages

const files: { readonly [L in Exclude<Language, "en">]: () => Promise<{ readonly catalogue: Catalogue }> } = {
  sv: () => import("./sv.ts"),
  de: () => import("./de.ts")
}

let current: Language = "en"
let catalogue: Catalogue = en
let plurals = new Intl.PluralRules("en")
const listeners = new Set<() => void>()

export const language = (): Language => current

/** `sv-SE` is shown in Swedish; a language without a file is shown in English. */
export const languageOf = (locale: string): Language => {
  const [short = ""] = locale.toLowerCase().split("-")
  return Object.hasOwn(languages, short) ? (short as Language) : "en"
}

/** What is done when the language changes, besides rendering again. */
let onChange: (language: Language) => void = () => undefined
export const whenLanguageChanges = (act: (language: Language) => void): void => {
  onChange = act
}

export const setLanguage = async (to: Language): Promise<void> => {
  if (to === current) return
  catalogue = to === "en" ? en : (await files[to]()).catalogue
  current = to
  plurals = new Intl.PluralRules(to)
  onChange(to)
  for (const listener of listeners) listener()
}

export const useLanguage = (): Language =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, language)

const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))

/** The text of a key, with its values filled in. */
export const t = <K extends Key>(key: K, ...[values]: Named<(typeof en)[K]> extends never ? [] : [Values<K>]): string =>
  filled(catalogue[key] ?? en[key], (values ?? {}) as Readonly<Record<string, string | number>>)

type Counted = Key extends infer K ? (K extends `${infer Base}_one` ? Base : never) : never

/** The text for a number of things: `key_one` or `key_other`, with `{count}` filled in. */
export const tn = (key: Counted, count: number): string => {
  const form = plurals.select(count) === "one" ? "one" : "other"
  const whole = `${key}_${form}` as Key
  return filled(catalogue[whole] ?? en[whole], { count: new Intl.NumberFormat(current).format(count) })
}

/** The text for a value of the service, such as a status; the value itself if there is no text for it. */
export const word = (group: string, value: string): string => {
  const key = `${group}.${value}` as Key
  return catalogue[key] ?? (Object.hasOwn(en, key) ? en[key] : value)
}
