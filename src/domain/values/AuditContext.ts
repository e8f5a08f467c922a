/** Who calls, and when: what every change of a record is stored with, and what an audit entry names. */

/** Who calls: a v2 key with what it may do now, or a v1 pair. */
export interface Principal {
  readonly organisationId: string
  /** `key:<id>`, `v1:<clientId>`, later `operator:<id>`: what an audit entry names. */
  readonly actor: string
  /** The v2 key's id; the scope of idempotency keys. */
  readonly keyId: string
  readonly operatorId: string | undefined
  /** Effective now: the operator's, cut down to the key's. */
  readonly permissions: ReadonlyArray<string>
  /**
   * Of a sign-in of a person who has a second factor here: when it was proved last, ms epoch; 0 for never. Undefined where there is none to ask for: of
   * keys, and of sign-ins by an identity provider.
   */
  readonly factorAt?: number
  /** True of a sign-in by an organisation's identity provider: it speaks for that organisation alone, and not for the person's account. */
  readonly bySingleSignOn?: boolean
}

/** Who does it and when: every write is a fact with its author. */
export interface AuditContext {
  readonly by: Principal
  /** ms epoch. */
  readonly now: number
}
