/**
 * On which versions a test runs. A file by itself, so that only the files that ask for it run again, in full, with the long suites.
 */
import { it } from "vitest"
import type { Version } from "../schemas/Schemas.ts"
import { allVersions } from "./Roaming.ts"

/**
 * `it` for what 2.1.1 has in common with 2.2.1: in 2.1.1 it is tried by `npm run test:all` alone. What differs is `it` as ever. What 2.2 alone has is tried
 * by the tests of its objects, of registration and of a driver's story, and by every method with the long suites (matrix/Tolerance).
 */
export const itInCommon = (version: Version) =>
  version === "2.2.1" || process.env["TEST_ALL"] !== undefined ? it : it.skip

/** Those whose tests run: all of them with `npm run test:all`. */
export const usualVersions: ReadonlyArray<Version> =
  process.env["TEST_ALL"] === undefined ? ["2.1.1", "2.2.1"] : allVersions

/** For what no version has a way of its own in. */
export const commonVersions: ReadonlyArray<Version> = process.env["TEST_ALL"] === undefined ? ["2.2.1"] : allVersions
