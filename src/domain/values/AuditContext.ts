/** Who calls, and when. It is stored with every change of a record and named in audit entries. */

/** The caller: a v2 key, a v1 pair or a person's sign-in, with its present permissions. */
export interface Principal {
  readonly organisationId: string
  /** `key:<id>`, `v1:<clientId>` or `operator:<id>`, as audit entries name it. */
  readonly actor: string
  /** The id of the v2 key, v1 pair or sign-in; the scope of idempotency keys. */
  readonly keyId: string
  readonly operatorId: string | undefined
  /** The permissions in effect now: the operator's, limited to the key's or sign-in's. */
  readonly permissions: ReadonlyArray<string>
  /**
   * For a sign-in of a person with a second factor: when it was last proved, ms epoch; 0 for never. Undefined if there is no second factor to ask
   * for: for keys, and for sign-ins through an identity provider.
   */
  readonly factorAt?: number
  /** True for a sign-in through an organisation's identity provider. It is valid for that organisation only, and not for the person's account. */
  readonly bySingleSignOn?: boolean
}

/** The author and time of a write: every write is a fact with its author. */
export interface AuditContext {
  readonly by: Principal
  /** ms epoch. */
  readonly now: number
}
