declare module "virtual:operations" {
  export const operations: Readonly<
    Record<string, readonly [method: string, path: string, permissions: ReadonlyArray<string>]>
  >
  /** All event types of the feed. */
  export const eventTypes: ReadonlyArray<string>
}
declare module "*.css" {}
/** The address at which the file is served. */
declare module "*.json?url" {
  const address: string
  export default address
}
