/** What an operator lets a charger be: what is answered to its boots (OCPP 1.6 §7.32 RegistrationStatus). */

export const registrations = ["Accepted", "Pending", "Rejected"] as const
export type Registration = (typeof registrations)[number]
