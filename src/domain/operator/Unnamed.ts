/**
 * The name that the first start gives an organisation until an operator names it. The console's first steps recognise an unnamed organisation by it.
 */
export const unnamedOrganisation = "My charging network"
