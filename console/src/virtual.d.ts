declare module "virtual:operations" {
  export const operations: Readonly<
    Record<string, readonly [method: string, path: string, permissions: ReadonlyArray<string>]>
  >
}
declare module "*.css" {}
