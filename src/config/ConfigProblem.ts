/** Why the service cannot start with its settings: the variable at fault, and a message of one line. */
import * as Data from "effect/Data"

export class ConfigProblem extends Data.TaggedError("ConfigProblem")<{
  /** The variable or option at fault. */
  readonly variable: string
  /** What was expected, or what to do. Never the value of a secret. */
  readonly message: string
}> {}
