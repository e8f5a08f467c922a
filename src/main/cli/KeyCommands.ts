/** `voltlane keys`, `operators` and `organisations`: access for the owner of the machine. */
import { userInfo } from "node:os"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { AdminRequest } from "./Admin.ts"
import { base, type CommandLine, Ended, filesOf, wrongUse } from "./CommandLine.ts"

/** The user name for the audit log. In a container the user may have no name. */
const user = (): string => {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? "unknown")
  }
}

const organisation = Flag.String("organisation").pipe(
  Flag.withMetavar("PARTY"),
  Flag.withDescription("Its id, or its party such as NL-VLT; required if there are several"),
  Flag.optional
)

const given = <K extends string, A>(name: K, value: Option.Option<A>): { readonly [P in K]?: A } =>
  Option.match(value, { onNone: () => ({}), onSome: (some) => ({ [name]: some }) as { readonly [P in K]: A } })

type Administered = ReturnType<typeof administering>

const administering =
  ({ env, err, out }: CommandLine) =>
  (request: AdminRequest) =>
    Effect.gen(function* () {
      const files = filesOf((yield* base).envFile)
      const { administerHere } = yield* Effect.promise(() => import("./Database.ts"))
      const answer = yield* administerHere(env, files, request).pipe(
        Effect.catchTags({
          AdminRefused: ({ message }) => Effect.fail(new Ended({ message, code: 1 })),
          ConfigProblem: ({ message, variable }) =>
            Effect.fail(new Ended({ message: `${variable}: ${message}`, code: 78 }))
        })
      )
      for (const line of answer.out) out(`${line}\n`)
      for (const line of answer.note) err(`${line}\n`)
    })

const keys = (administered: Administered) =>
  Command.make("keys").pipe(
    Command.withDescription("Keys to REST v2, to be run on the machine of the database"),
    Command.withSubcommands([
      Command.make(
        "create",
        {
          organisation,
          name: Flag.String("name").pipe(
            Flag.withMetavar("TEXT"),
            Flag.withDescription("The purpose of the key"),
            Flag.withDefault("command line")
          ),
          permissions: Flag.String("permissions").pipe(
            Flag.withMetavar("LIST"),
            Flag.withDescription("Such as sites:read,chargers:read; default: all permissions of the operator"),
            Flag.optional
          )
        },
        (asked) =>
          administered({
            ask: "keys create",
            user: user(),
            name: asked.name,
            ...given("organisation", asked.organisation),
            ...given(
              "permissions",
              Option.map(asked.permissions, (text) => text.split(",").map((one) => one.trim()))
            )
          })
      ).pipe(Command.withDescription("Create a key and print it, only this once")),
      Command.make("list", { organisation }, (asked) =>
        administered({ ask: "keys list", user: user(), ...given("organisation", asked.organisation) })
      ).pipe(Command.withDescription("List keys, including revoked ones")),
      Command.make(
        "revoke",
        {
          organisation,
          key: Argument.String("key").pipe(
            Argument.withDescription("Its id or its first characters, as shown by keys list")
          )
        },
        (asked) =>
          administered({
            ask: "keys revoke",
            user: user(),
            key: asked.key,
            ...given("organisation", asked.organisation)
          })
      ).pipe(Command.withDescription("Revoke a key, even the last one"))
    ])
  )

const operators = (administered: Administered) =>
  Command.make("operators").pipe(
    Command.withDescription("Restore access, on the machine of the database"),
    Command.withSubcommands([
      Command.make(
        "reset",
        {
          organisation,
          email: Argument.String("email").pipe(
            Argument.withDescription(
              "Print a link with which this operator sets a new password, instead of creating a key"
            ),
            Argument.optional
          ),
          revokeOthers: Flag.Boolean("revoke-others").pipe(
            Flag.withDescription("End every other key and v1 pair of the organisation"),
            Flag.withDefault(false)
          )
        },
        (asked) => {
          if (Option.isSome(asked.email) && asked.revokeOthers) {
            const message = "operators reset: --revoke-others is for keys and cannot be combined with an email"
            return Effect.fail(new Ended({ message, code: wrongUse }))
          }
          return administered(
            Option.isSome(asked.email)
              ? {
                  ask: "operators link",
                  user: user(),
                  email: asked.email.value,
                  ...given("organisation", asked.organisation)
                }
              : {
                  ask: "operators reset",
                  user: user(),
                  revokeOthers: asked.revokeOthers,
                  ...given("organisation", asked.organisation)
                }
          )
        }
      ).pipe(
        Command.withDescription(
          "Create a key with every permission and a v1 pair, and print them only this once; with an email, print a link for a new password"
        )
      ),
      Command.make(
        "add-owner",
        {
          organisation,
          email: Argument.String("email").pipe(Argument.withDescription("The email address of the new owner"))
        },
        (asked) =>
          administered({
            ask: "operators add-owner",
            user: user(),
            email: asked.email,
            ...given("organisation", asked.organisation)
          })
      ).pipe(Command.withDescription("Print a link with which a person becomes an owner"))
    ])
  )

const organisations = (administered: Administered) =>
  Command.make("organisations").pipe(
    Command.withDescription("Organisations of this service"),
    Command.withSubcommands([
      Command.make("list", {}, () => administered({ ask: "organisations list", user: user() })).pipe(
        Command.withDescription("List all organisations")
      )
    ])
  )

const singleSignOn = (administered: Administered) =>
  Command.make("single-sign-on").pipe(
    Command.withDescription("Organisations' identity providers"),
    Command.withSubcommands([
      Command.make(
        "verify-domain",
        {
          organisation,
          domain: Argument.String("domain").pipe(
            Argument.withDescription("A domain of email addresses that the organisation's settings name")
          )
        },
        (asked) =>
          administered({
            ask: "single-sign-on verify-domain",
            user: user(),
            domain: asked.domain,
            ...given("organisation", asked.organisation)
          })
      ).pipe(Command.withDescription("Verify a domain without a record in its DNS"))
    ])
  )

/** All commands that administer. */
export const keyCommands = (line: CommandLine) => {
  const administered = administering(line)
  return [keys(administered), operators(administered), organisations(administered), singleSignOn(administered)] as const
}
