/** What is kept for how long unless a setting says otherwise, for tests of maintenance. */
export const usualRetention = {
  messageRetentionDays: 30,
  readingsRetentionMonths: 25,
  factsRetentionMonths: 13,
  sessionsRetentionMonths: undefined,
  auditRetentionMonths: undefined,
  commandsRetentionMonths: 25
}
