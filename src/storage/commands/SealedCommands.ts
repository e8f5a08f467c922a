/** Commands with secrets as they are stored: the secrets masked, and beside that the whole command encrypted, for the charger. */
import { Schema } from "effect"
import { ChargerCommand } from "../../domain/command/ChargerCommand.ts"
import { withoutSecrets } from "../../domain/command/SecretParts.ts"
import { sealPurposes } from "../../domain/values/SealPurpose.ts"
import type { Secrets } from "../../domain/values/Secrets.ts"

/** The purpose under which commands are sealed. */
const sealPurpose = sealPurposes.command

const Stored = Schema.fromJsonString(ChargerCommand)
const encode = Schema.encodeSync(Stored)
const decode = Schema.decodeUnknownSync(Stored)

/** The command without its secrets, and if it has any the whole of it, sealed. */
export const sealedCommand = ({ seal }: Pick<Secrets["Service"], "seal">, command: ChargerCommand) => {
  const shown = withoutSecrets(command)
  return { shown, sealed: shown === command ? undefined : seal(sealPurpose, encode(command)) }
}

/** Undefined if it was sealed under another key. */
export const openedCommand = (
  { open }: Pick<Secrets["Service"], "open">,
  sealed: string
): ChargerCommand | undefined => {
  const text = open(sealPurpose, sealed)
  return text === undefined ? undefined : decode(text)
}
