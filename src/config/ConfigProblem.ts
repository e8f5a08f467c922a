/** Why the service cannot start with its settings: one variable, and one line about it. */
import * as Data from "effect/Data"

export class ConfigProblem extends Data.TaggedError("ConfigProblem")<{
  /** The variable, or the option, at fault. */
  readonly variable: string
  /** What was expected, or what to do. Never the value of a secret. */
  readonly message: string
}> {}
