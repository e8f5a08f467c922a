/**
 * Checks passwords and second factors. The password check takes the same time whether or not the account exists. Delays grow after failures: of
 * passwords for each network or device, of codes for the whole account.
 */
import { Clock, type Context, Effect, Scope } from "effect"
import { HttpServerRequest } from "effect/http"
import { InvalidInput, TooMany } from "../../../domain/Errors.ts"
import { type Account, Accounts, type Factor } from "../../../domain/operator/Accounts.ts"
import { passwordProblem, passwordsAtOnce, tooManyPasswords } from "../../../domain/operator/Password.ts"
import { signInPurposes } from "../../../domain/operator/SignIn.ts"
import { isNoted, SignInDelays } from "../../../domain/operator/SignInDelays.ts"
import { recoveryHash, stepOf } from "../../../domain/operator/Totp.ts"
import { FairQueue } from "../../../domain/values/FairQueue.ts"
import { Secrets } from "../../../domain/values/Secrets.ts"
import { deviceOf, devicePlace } from "../requests/Cookies.ts"
import { Unauthorized } from "../requests/Failures.ts"
import { PublicUrl } from "../requests/Paging.ts"
import { RateLimits } from "../requests/RateLimits.ts"

export const refused = new Unauthorized({
  code: "sign_in_refused",
  detail: "The email address or the password is wrong."
})
const factorRequired = new Unauthorized({
  code: "second_factor_required",
  detail: "This account has a second factor: send its code as well."
})
export const factorRefused = new Unauthorized({
  code: "second_factor_refused",
  detail: "The code is wrong, too old or already used."
})

/** The factor that the code proves; undefined if it cannot be a code of this account. */
const factorOf = (secrets: Secrets["Service"], account: Account, code: string, now: number): Factor | undefined => {
  const sealed = account.totpSecret
  const secret = sealed === undefined ? undefined : secrets.open(signInPurposes.totp, sealed)
  const step = secret === undefined ? undefined : stepOf(secrets.hmacSha1, secret, code, account.totpStep, now)
  if (step !== undefined) return { _tag: "Totp", step }
  const hash = recoveryHash(secrets, code)
  return hash === undefined ? undefined : { _tag: "RecoveryCode", hash }
}

/** A person whose password was right, with the second factor that was used. */
export interface Proved {
  readonly account: Account
  readonly factor: Factor | undefined
  readonly pair: string
  /** True if the account signed in on this device before. */
  readonly isKnownDevice: boolean
  readonly failuresBefore: number
}

const guarding = Effect.gen(function* () {
  const accounts = yield* Accounts
  const limits = yield* RateLimits
  const scope = yield* Scope.Scope
  const services = yield* Effect.context<never>()
  const delays = new SignInDelays()

  /**
   * Runs a proof with the delays of `pair`. Many failures are noted on the operators `noted`. A proof that fails for another reason than a
   * wrong password or code is not counted.
   */
  const guarded = Effect.fnUntraced(function* <A, E, R>(
    pair: string,
    noted: ReadonlyArray<string>,
    proof: (failuresBefore: number) => Effect.Effect<A, E, R>,
    isGuess = true
  ) {
    const now = yield* Clock.currentTimeMillis
    const wait = delays.wait(pair, now)
    if (wait > 0) {
      const seconds = Math.ceil(wait / 1000)
      const message = `Too many wrong passwords or codes: try again in ${seconds} s.`
      return yield* new TooMany({ code: "sign_in_delayed", message, retryAfterSeconds: seconds })
    }
    const failures = delays.count(pair, now)
    return yield* proof(failures - 1).pipe(
      Effect.tapError((error) =>
        Effect.gen(function* () {
          const isWrong = error instanceof Unauthorized && error.code !== "second_factor_required"
          if (!isWrong) return delays.uncount(pair)
          delays.failed(pair, yield* Clock.currentTimeMillis)
          // In the background: the time of the answer must not reveal that the account exists.
          if (noted.length > 0 && isNoted(failures) && error.code === "sign_in_refused") {
            const network = yield* limits.network
            const noting = Effect.forEach(noted, (operatorId) =>
              accounts.noteFailures(operatorId, failures, network, now)
            )
            // Without the services of the request: its transaction, if it has one, ends before this write.
            const alone = Effect.updateContext(Effect.ignore(noting), (_: Context.Context<never>) => services)
            yield* Effect.forkIn(alone, scope)
          }
          if (isGuess) yield* limits.wrongKey
        })
      )
    )
  })

  return { delays, guarded }
})

type Guard = Effect.Success<typeof guarding>

/**
 * Passwords are checked for one network after the other, and first for devices that are known and for people who are signed in or have a link. So
 * strangers who send wrong passwords from many networks delay each other, and not the people who work here.
 */
type Passwords = FairQueue<TooMany>

/**
 * Checks codes of a second factor, with delays for the whole account that are stored. Only for people who proved the password, or are signed in: no
 * one else can delay anyone.
 */
const checkingCodes = Effect.gen(function* () {
  const accounts = yield* Accounts
  const secrets = yield* Secrets
  const limits = yield* RateLimits
  const publicUrl = yield* PublicUrl

  return Effect.fnUntraced(function* (account: Account, factor: Factor | undefined) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { operatorId } = account
    const device = devicePlace(secrets, operatorId, deviceOf(publicUrl, secrets, operatorId, request))
    const now = yield* Clock.currentTimeMillis
    const outcome = yield* accounts.tryCode({ operatorId, device, network: yield* limits.network, factor }, now)
    if (outcome._tag === "Delayed") {
      const seconds = Math.ceil(outcome.millis / 1000)
      const message = `Too many wrong codes were given for this account: try again in ${seconds} s, or use a recovery code, a passkey, or a browser in which you signed in before.`
      return yield* new TooMany({ code: "sign_in_delayed", message, retryAfterSeconds: seconds })
    }
    if (outcome._tag === "Wrong" || factor === undefined) return yield* factorRefused
    return factor
  })
})

type CheckCode = Effect.Success<typeof checkingCodes>

/**
 * Proofs by a person who is not signed in. Several accounts may have the same address: the password decides which one is meant. Nothing that a
 * stranger sees depends on how many there are.
 */
const proving = Effect.fnUntraced(function* ({ delays, guarded }: Guard, checkCode: CheckCode, passwords: Passwords) {
  const accounts = yield* Accounts
  const secrets = yield* Secrets
  const limits = yield* RateLimits
  const publicUrl = yield* PublicUrl

  /**
   * The account that has this password. On a device that knows one of them, passwords of the others still count for the network: otherwise the
   * holder of one account could guess the passwords of others, and reset the count by signing in.
   */
  const matched = Effect.fnUntraced(function* (
    email: string,
    password: string,
    known: Effect.Success<ReturnType<typeof accounts.passwordsOf>>,
    device: { readonly operatorId: string } | undefined
  ) {
    const hashes = known.map(({ passwordHash }) => passwordHash)
    const network = yield* limits.network
    const match = passwords.within(network, device !== undefined, secrets.matchPassword(password, hashes))
    const find = Effect.map(match, (index) => known[index ?? -1]?.operatorId)
    if (device === undefined) return yield* find
    const pair = `${email.toLowerCase()} ${network}`
    const isDelayed = delays.wait(pair, yield* Clock.currentTimeMillis) > 0
    if (!isDelayed) delays.count(pair, yield* Clock.currentTimeMillis)
    const found = yield* Effect.tapError(find, () => Effect.sync(() => (isDelayed ? undefined : delays.uncount(pair))))
    if (isDelayed) return found === device.operatorId ? found : undefined
    if (found === undefined) delays.failed(pair, yield* Clock.currentTimeMillis)
    else delays.uncount(pair)
    return found
  })

  const deviceAmong = Effect.fnUntraced(function* (known: ReadonlyArray<{ readonly operatorId: string }>) {
    const request = yield* HttpServerRequest.HttpServerRequest
    for (const { operatorId } of known) {
      const device = deviceOf(publicUrl, secrets, operatorId, request)
      if (device !== undefined) return { operatorId, device }
    }
    return undefined
  })

  return Effect.fn("SigningIn.prove")(function* (
    email: string,
    password: string,
    code: string | undefined,
    isGuess = true
  ) {
    const known = yield* accounts.passwordsOf(email)
    const device = yield* deviceAmong(known)
    const pair = `${email.toLowerCase()} ${device?.device ?? (yield* limits.network)}`
    return yield* guarded(
      pair,
      known.map(({ operatorId }) => operatorId),
      Effect.fnUntraced(function* (failuresBefore) {
        const operatorId = yield* matched(email, password, known, device)
        const account = operatorId === undefined ? undefined : yield* accounts.byId(operatorId)
        if (account === undefined) return yield* refused
        const proved = { account, pair, isKnownDevice: device !== undefined, failuresBefore }
        if (account.totpSecret === undefined) return { ...proved, factor: undefined } satisfies Proved
        if (code === undefined) return yield* factorRequired
        const given = factorOf(secrets, account, code, yield* Clock.currentTimeMillis)
        return { ...proved, factor: yield* checkCode(account, given) } satisfies Proved
      }),
      isGuess
    )
  })
})

/** Proofs by a person who is signed in, before changes to the account. */
const provingAgain = Effect.fnUntraced(function* (
  { delays, guarded }: Guard,
  checkCode: CheckCode,
  passwords: Passwords
) {
  const secrets = yield* Secrets
  const limits = yield* RateLimits

  /** Counts a wrong code of the network, too. */
  const counted = <A, E, R>(proof: Effect.Effect<A, E, R>) =>
    Effect.tapError(proof, (error) => (error instanceof Unauthorized ? limits.wrongKey : Effect.void))

  /** Checks a code of the account's second factor. */
  const proveFactor = Effect.fnUntraced(function* (account: Account, code: string) {
    const given = factorOf(secrets, account, code, yield* Clock.currentTimeMillis)
    return yield* counted(checkCode(account, given))
  })

  const provePassword = (account: Account, signInId: string, password: string) =>
    guarded(
      `password ${signInId}`,
      [account.operatorId],
      Effect.fnUntraced(function* () {
        const verified = passwords.within(signInId, true, secrets.verifyPassword(password, account.passwordHash))
        if (!(yield* verified)) return yield* refused
        delays.forget(`password ${signInId}`)
      })
    )

  /** Checks the first code of a secret that is not confirmed yet. */
  const provePending = Effect.fnUntraced(function* (account: Account, code: string) {
    const { totpPending } = account
    const secret = totpPending === undefined ? undefined : secrets.open(signInPurposes.totp, totpPending)
    const now = yield* Clock.currentTimeMillis
    const step = secret === undefined ? undefined : stepOf(secrets.hmacSha1, secret, code, 0, now)
    yield* counted(checkCode(account, step === undefined ? undefined : { _tag: "Totp", step }))
    return step ?? 0
  })

  return { proveFactor, provePassword, provePending }
})

export const proofs = Effect.gen(function* () {
  const guard = yield* guarding
  const checkCode = yield* checkingCodes
  const secrets = yield* Secrets
  const passwords: Passwords = new FairQueue(passwordsAtOnce, tooManyPasswords)
  const prove = yield* proving(guard, checkCode, passwords)

  /** Checks the rules for a new password and hashes it for storage. */
  const newHash = Effect.fnUntraced(function* (
    pointer: string,
    password: string,
    email: string,
    about: ReadonlyArray<string>
  ) {
    const detail = passwordProblem(password, [email, ...about])
    if (detail !== undefined) return yield* new InvalidInput({ pointer, detail })
    return yield* passwords.within(email, true, secrets.hashPassword(password, email))
  })

  return {
    ...(yield* provingAgain(guard, checkCode, passwords)),
    prove,
    /** The account with this password; undefined if there is none. The account's delays count it, but not the network's limit of wrong keys. */
    proveIfKnown: (email: string, password: string, code: string | undefined) =>
      Effect.catchIf(
        prove(email, password, code, false),
        (error) => error === refused,
        () => Effect.undefined
      ),
    newHash,
    /**
     * Ends the count of a sign-in that is complete. The failures of its device are forgotten, those of the network are not: they may have been at
     * another account with the same address.
     */
    forget: ({ isKnownDevice, pair }: Pick<Proved, "isKnownDevice" | "pair">): void =>
      isKnownDevice ? guard.delays.forget(pair) : guard.delays.uncount(pair)
  }
})
