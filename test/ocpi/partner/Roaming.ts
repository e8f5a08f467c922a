/** A service and partners that are registered with it: the common beginning of all tests of roaming over real HTTP. */
import { onTestFinished } from "vitest"
import { World } from "../../cases/World.ts"
import type { Version } from "../schemas/Schemas.ts"
import { Partner, type PartnerOptions } from "./Partner.ts"
import type { Json } from "./Wire.ts"

export const allVersions: ReadonlyArray<Version> = ["2.1.1", "2.2", "2.2.1"]

/** Versions with routing, charging profiles and hub client info. */
export const versionsSince22: ReadonlyArray<Version> = ["2.2", "2.2.1"]

/** A partner as REST answers its invitation. */
export interface Invited {
  readonly id: string
  readonly token: string
  readonly versionsUrl: string
}

/** Three letters or digits, different each time. */
const partyIdOf = (n: number): string => `P${n.toString(36).toUpperCase().padStart(2, "0")}`

export class Roaming {
  readonly world: World
  private made = 0

  /** With `env`, the file has its own service. */
  constructor(env?: Readonly<Record<string, string>>) {
    this.world = new World(env)
  }

  /** Removes a test's partner afterwards, so that later tests do not wait for pushes to it. */
  private forgottenAfterwards(id: string): void {
    onTestFinished(async () => {
      if (this.world.service.life.exit === undefined) await this.world.rest.request("DELETE", `partners/${id}`)
    })
  }

  private invited(shown: Json): Invited {
    return {
      id: String(shown["id"]),
      token: String(shown["credentialsToken"]),
      versionsUrl: String(shown["versionsUrl"])
    }
  }

  /** Invites a partner in REST. Returns the token and versions URL to hand over. */
  async invite(partner: Partner, more: Json = {}): Promise<Invited> {
    const { country_code, party_id } = partner.party
    const invited = this.invited(
      await this.world.post("partners", {
        name: partner.name,
        countryCode: country_code,
        partyId: party_id,
        roles: ["EMSP"],
        ...more
      })
    )
    this.forgottenAfterwards(invited.id)
    return invited
  }

  /** Resets a registration. */
  async reset(id: string): Promise<Invited> {
    return this.invited(await this.world.post(`partners/${id}/invite`, {}))
  }

  /** A partner that listens until the test ends. Each has a different party. */
  async partner(version: Version, more: Partial<PartnerOptions> = {}): Promise<Partner> {
    const partyId = partyIdOf(this.made++)
    const partner = await Partner.start({ version, partyId, name: `eMSP ${partyId}`, ...more })
    onTestFinished(() => partner[Symbol.asyncDispose]())
    return partner
  }

  /** A partner that has registered itself, as an eMSP or in the roles of its invitation. */
  async registered(version: Version, more: Partial<PartnerOptions> = {}, invitation: Json = {}) {
    const partner = await this.partner(version, more)
    const { id, token, versionsUrl } = await this.invite(partner, invitation)
    const answer = await partner.register(versionsUrl, token)
    if (partner.theirToken === undefined) throw new Error(`registration was answered ${answer.text}`)
    return { id, partner }
  }

  /** A partner as shown in REST. */
  shown(id: string): Promise<Json> {
    return this.world.get(`partners/${id}`)
  }
}
