/** The tables that complete an OpenAPI document beyond the API's definition: names, descriptions and examples. */

/** Names that an API's definition cannot contain. */
export interface Names {
  /** Names of enumerations, each with one place where the enumeration occurs. Equal lists of values share one name. */
  readonly enums: Readonly<Record<string, string>>
  /** Unions distinguished by `type`, each with the suffix that names a member without a name. */
  readonly unions: Readonly<Record<string, string>>
  /**
   * Request schemas that accept fields of an answer and ignore them, each with the schema of that answer. The ignored fields get their
   * types from it.
   */
  readonly returned: Readonly<Record<string, string>>
}

/** The meaning of a property, and an example value. Text and numbers need an example; for everything else it can be generated. */
export type Described = readonly [description: string, example?: unknown]

export interface Descriptions extends Names {
  /**
   * By `Owner.property`, with as many levels as needed, or by the property's name alone if it means the same everywhere. The owner of a
   * parameter is its operation and location: `sites.list.query.limit`.
   */
  readonly properties: Readonly<Record<string, Described>>
  /** By operation id: what the summary does not say. */
  readonly operations: Readonly<Record<string, string>>
  /** By the name of a group of operations. */
  readonly tags: Readonly<Record<string, string>>
  /** Example request bodies by operation id. An operation may have several, each with a name. */
  readonly bodies: Readonly<Record<string, { readonly [name: string]: unknown }>>
  /** Example answers that cannot be built from the examples of their properties: by the name of a schema or an operation. */
  readonly answers: Readonly<Record<string, unknown>>
  /** An example of a refusal, by HTTP status. */
  readonly refusals: Readonly<Record<string, unknown>>
  /** Descriptions of answers, by HTTP status. */
  readonly statuses: Readonly<Record<string, string>>
}

export interface Lookup {
  /** The row for a place: the one whose key is the longest suffix of the place. */
  readonly at: (place: string) => Described | undefined
  /** The rows that were found, so that a test can report unused ones. */
  readonly used: ReadonlySet<string>
}

export const lookupOf = (rows: Descriptions["properties"]): Lookup => {
  const used = new Set<string>()
  const at = (place: string): Described | undefined => {
    if (Object.hasOwn(rows, place)) {
      used.add(place)
      return rows[place]
    }
    const dot = place.indexOf(".")
    return dot === -1 ? undefined : at(place.slice(dot + 1))
  }
  return { at, used }
}
