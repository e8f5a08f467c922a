/** What the first start calls an organisation until its operator names it; the console's first steps know it by that. */
export const unnamedOrganisation = "My charging network"
