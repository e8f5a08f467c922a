/** The port `Accounts` over SQL: joins sign-ins, credentials, links, operators and roles. */
import { Effect, Layer } from "effect"
import { Accounts } from "../../domain/operator/Accounts.ts"
import { recording, type RecordingServices } from "../kernel/Facts.ts"
import * as CodeFailures from "./CodeFailures.ts"
import * as Credentials from "./Credentials.ts"
import * as Links from "./Links.ts"
import * as MadeAccess from "./MadeAccess.ts"
import * as Operators from "./Operators.ts"
import * as SignIns from "./SignIns.ts"

export const layer: Layer.Layer<Accounts, never, RecordingServices> = Layer.effect(
  Accounts,
  Effect.gen(function* () {
    const records = yield* recording
    const { sql } = records
    return Accounts.of({
      byEmail: SignIns.byEmail(sql),
      passwordsOf: SignIns.passwordsOf(sql),
      byId: SignIns.byId(sql),
      signIn: SignIns.signIn(records),
      findSignIn: yield* SignIns.findSignIn(sql),
      noteFailures: CodeFailures.noteFailures(records),
      tryCode: CodeFailures.tryCode(records),
      codeFailures: CodeFailures.codeFailures(sql),
      signIns: SignIns.signIns(sql),
      endSignIn: SignIns.endSignIn(records),
      endOtherSignIns: SignIns.endOtherSignIns(records),
      renewSignIn: SignIns.renewSignIn(records),
      changeProfile: Operators.changeProfile(records),
      changePassword: Credentials.changePassword(records),
      beginTotp: Credentials.beginTotp(records),
      confirmTotp: Credentials.confirmTotp(records),
      removeTotp: Credentials.removeTotp(records),
      replaceRecoveryCodes: Credentials.replaceRecoveryCodes(records),
      findLink: Links.findLink(records),
      useLink: Links.useLink(records),
      createSetUp: Links.createSetUp(records),
      createReset: Links.createReset(records),
      createInvitation: Links.createInvitation(records),
      revokeInvitation: Links.revokeInvitation(records),
      invitations: Links.invitations(sql),
      operators: Operators.operators(sql),
      operator: Operators.operator(sql),
      changeOperator: Operators.changeOperator(records),
      madeAccess: MadeAccess.madeAccess(records),
      closeMade: MadeAccess.closeMade(records),
      roles: Operators.roles(sql),
      createRole: Operators.createRole(records),
      changeRole: Operators.changeRole(records),
      removeRole: Operators.removeRole(records)
    })
  })
)
