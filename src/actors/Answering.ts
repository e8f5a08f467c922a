/** Answers a decision's questions about data that is not in the charger's state. Each takes one look-up by a key. */
import { Effect } from "effect"
import type { Answers, Question } from "../domain/charger/Decision.ts"
import type { StorageUnavailable } from "../domain/Errors.ts"
import type { ChargerDirectory } from "../domain/charger/ChargerDirectory.ts"
import type { PartnersQuestion } from "./PendingAuthorizations.ts"

/** The charger whose message is being decided. */
interface Asking {
  readonly chargerId: string
  readonly organisationId: string
}

/** `answers` plus the answer to `question`. */
export const answered = (
  directory: ChargerDirectory["Service"],
  { chargerId, organisationId }: Asking,
  question: Exclude<Question, PartnersQuestion>,
  answers: Answers
): Effect.Effect<Answers, StorageUnavailable> => {
  switch (question._tag) {
    case "FindToken": {
      const found = directory.findToken({ ...question, chargerId, organisationId })
      return Effect.map(found, (token) => ({ ...answers, token }))
    }
    case "FindSession": {
      const found = directory.findSession(chargerId, question.transactionId)
      return Effect.map(found, (session) => ({ ...answers, session: session ?? null }))
    }
    case "FindOrphan":
      return Effect.map(directory.findOrphan(chargerId, question.orphanId), (orphan) => ({ ...answers, orphan }))
  }
}
