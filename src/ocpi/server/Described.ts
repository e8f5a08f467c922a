/**
 * JSON schemas of partners' bodies for the OpenAPI document. They are made from the codecs that read the bodies, so they show what is
 * accepted, which is more than the standard allows.
 */
import { Schema } from "effect"
import { commandBodies211 } from "../objects/command/v211.ts"
import { commandBodies22 } from "../objects/command/v22.ts"
import { commandBodies221 } from "../objects/command/v221.ts"
import { Credentials211 } from "../objects/credentials/v211.ts"
import { Credentials22 } from "../objects/credentials/v22.ts"
import { Token211 } from "../objects/token/v211.ts"
import { Token22 } from "../objects/token/v22.ts"
import type { OcpiVersion } from "../protocol/Version.ts"

type Json = Readonly<Record<string, unknown>>

interface Bodies {
  /** By the command's name in the URL. */
  readonly commands: Readonly<Record<string, Schema.Top>>
  readonly Credentials: Schema.Top
  readonly Token: Schema.Top
}

const bodies: Readonly<Record<OcpiVersion, Bodies>> = {
  "2.1.1": { commands: commandBodies211, Credentials: Credentials211, Token: Token211 },
  "2.2": { commands: commandBodies22, Credentials: Credentials22, Token: Token22 },
  "2.2.1": { commands: commandBodies221, Credentials: Credentials22, Token: Token22 }
}

const componentOf = (version: OcpiVersion, name: string): string => `${name}_${version}`

const reference = (version: OcpiVersion, name: string): Json => ({
  $ref: `#/components/schemas/${componentOf(version, name)}`
})

/** The commands of a version. */
export const commandsOf = (version: OcpiVersion): ReadonlyArray<string> => Object.keys(bodies[version].commands)

/** The schema of a body by its name; undefined for bodies that the document only names. */
export const describedBody = (version: OcpiVersion, name: string): Json | undefined => {
  if (name === "Command") return { anyOf: commandsOf(version).map((command) => reference(version, command)) }
  return name === "Credentials" || name === "Token" ? reference(version, name) : undefined
}

/** All of these schemas, as components of the document. */
export const bodyComponents = (): Json =>
  Object.fromEntries(
    (Object.keys(bodies) as ReadonlyArray<OcpiVersion>).flatMap((version) => {
      const { Credentials, Token, commands } = bodies[version]
      return Object.entries({ Credentials, Token, ...commands }).map(([name, schema]) => [
        componentOf(version, name),
        Schema.toJsonSchemaDocument(schema).schema
      ])
    })
  )
