/** What an OpenAPI document has beside the API's definition: names, descriptions and examples, as tables. */

/** Names that an API's definition cannot give. */
export interface Names {
  /** Of words that are chosen from: the name, and one place where they stand. Equal lists have one name. */
  readonly enums: Readonly<Record<string, string>>
  /** Unions distinguished by `type`, and what is put behind it to name a member that has no name. */
  readonly unions: Readonly<Record<string, string>>
  /** Bodies that may hold what an answer held: fields that are taken and ignored have the types that they have there. */
  readonly returned: Readonly<Record<string, string>>
}

/** What a property means, and a value that it may have. Text and numbers need one; for everything else it can be made. */
export type Described = readonly [description: string, example?: unknown]

export interface Descriptions extends Names {
  /**
   * By `Owner.property`, as far in as it needs, or by the property's name alone where it means the same everywhere. A parameter's owner is
   * its operation and its place: `sites.list.query.limit`.
   */
  readonly properties: Readonly<Record<string, Described>>
  /** By operation id: what the summary leaves out. */
  readonly operations: Readonly<Record<string, string>>
  /** By the name of a group of operations. */
  readonly tags: Readonly<Record<string, string>>
  /** Bodies of requests by operation id; several have names. */
  readonly bodies: Readonly<Record<string, { readonly [name: string]: unknown }>>
  /** Answers that cannot be made of their properties' examples: by the name of a schema or an operation. */
  readonly answers: Readonly<Record<string, unknown>>
  /** What a refusal with this status looks like. */
  readonly refusals: Readonly<Record<string, unknown>>
  /** Of headers in answers. */
  readonly statuses: Readonly<Record<string, string>>
}

export interface Lookup {
  /** The row of a place: that of its longest end. */
  readonly at: (place: string) => Described | undefined
  /** The rows that were found, so that a test can name those that nothing needs. */
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
