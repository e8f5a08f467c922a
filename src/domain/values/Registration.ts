/** A charger's registration: the operator's choice that is sent in the answer to each boot (OCPP 1.6 §7.38 RegistrationStatus). */

export const registrations = ["Accepted", "Pending", "Rejected"] as const
export type Registration = (typeof registrations)[number]
