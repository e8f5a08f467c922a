/**
 * The versions in which a test runs. A separate file, so that only the files that use it run again, completely, in the long suites.
 */
import { it } from "vitest"
import type { Version } from "../schemas/Schemas.ts"
import { allVersions } from "./Roaming.ts"

/**
 * `it` for behaviour that 2.1.1 shares with 2.2.1: in 2.1.1 it runs only with `npm run test:all`. Other behaviour uses `it` as usual. What only 2.2
 * has is tested with its objects, registration and a driver's story, and by every method in the long suites (matrix/Tolerance).
 */
export const itInCommon = (version: Version) =>
  version === "2.2.1" || process.env["TEST_ALL"] !== undefined ? it : it.skip

/** The versions whose tests run: all of them with `npm run test:all`. */
export const usualVersions: ReadonlyArray<Version> =
  process.env["TEST_ALL"] === undefined ? ["2.1.1", "2.2.1"] : allVersions

/** For behaviour that is the same in all versions. */
export const commonVersions: ReadonlyArray<Version> = process.env["TEST_ALL"] === undefined ? ["2.2.1"] : allVersions
