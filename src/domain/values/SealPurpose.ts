/** What is stored encrypted, by the purpose under which it is sealed: a value of one purpose cannot be opened as another's. */
export const sealPurposes = {
  command: "command",
  configuration: "configuration",
  idempotentAnswer: "idempotent-answer",
  partnerToken: "partner-token",
  responseUrl: "response-url",
  rollout: "rollout",
  singleSignOnSecret: "single-sign-on-secret",
  totp: "totp-secret",
  webhookSecret: "webhook-secret"
} as const

export type SealPurpose = (typeof sealPurposes)[keyof typeof sealPurposes]
