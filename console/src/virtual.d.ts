declare module "virtual:operations" {
  export const operations: Readonly<
    Record<string, readonly [method: string, path: string, permissions: ReadonlyArray<string>]>
  >
  /** All types of events of the feed. */
  export const eventTypes: ReadonlyArray<string>
}
declare module "*.css" {}
/** The address of the file as it is served. */
declare module "*.json?url" {
  const address: string
  export default address
}
