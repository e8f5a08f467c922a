/**
 * Domains of email addresses that an organisation names for single sign-on. Anyone can name any domain, so a domain does nothing until it is verified: by
 * a record in its DNS, or by an operator of the platform. A verified domain belongs to one organisation; unverified ones may be named by several.
 */

const day = 24 * 3_600_000

export const domainVerifiers = ["Dns", "Operator"] as const
export type DomainVerifier = (typeof domainVerifiers)[number]

export interface SignOnDomain {
  /** Lower case. */
  readonly domain: string
  /** What the record in the DNS contains. Random, and different for each organisation. */
  readonly token: string
  readonly verifiedAt: number | undefined
  readonly verifiedBy: DomainVerifier | undefined
  /** When the record was last looked up after the verification. */
  readonly checkedAt: number | undefined
  /** When the record was last found. */
  readonly confirmedAt: number | undefined
}

/** The name of the TXT record. Below the domain itself, so that the domain's other records stay as they are. */
export const challengeName = (domain: string): string => `_voltlane-challenge.${domain}`

/** The value of the TXT record. */
export const challengeValue = ({ token }: Pick<SignOnDomain, "token">): string => `voltlane-verification=${token}`

export const isProved = (domain: Pick<SignOnDomain, "token">, values: ReadonlyArray<string>): boolean =>
  values.includes(challengeValue(domain))

/** How often the record of a verified domain is looked up again. */
export const recheckMillis = day

/** A domain stays verified this long without its record: people move domains between providers, and records are lost in that. */
export const missingMillis = 7 * day

/** The same while its DNS does not answer at all, which is less often the domain's owner's decision. */
export const unreachableMillis = 30 * day

/**
 * Whether a domain that was verified by its record stays verified after another look-up. `values` is undefined if there was no answer.
 */
export const afterCheck = (
  domain: SignOnDomain,
  values: ReadonlyArray<string> | undefined,
  now: number
): "Confirmed" | "Waits" | "Lost" => {
  if (values !== undefined && isProved(domain, values)) return "Confirmed"
  const since = now - (domain.confirmedAt ?? domain.verifiedAt ?? now)
  return since >= (values === undefined ? unreachableMillis : missingMillis) ? "Lost" : "Waits"
}

/** Top-level names that are never in the public DNS, and IP addresses. `.example` is allowed for documents and tests. */
const neverPublic =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|arpa|alt|invalid|onion|test|\d+)$/

/** Why no one can prove that this domain is theirs; undefined if they can. */
export const domainProblem = (domain: string): string | undefined =>
  neverPublic.test(domain) ? "Must be a domain of the public DNS, such as voltlane.example" : undefined
