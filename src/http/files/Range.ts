/** Which part of a file a request asks for (RFC 9110 §14): one range of bytes, which is what resumes a download. */
import type { ByteRange } from "../../domain/file/StoredFile.ts"

const form = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i

/**
 * The range within a file of `size` bytes; `whole` where none is asked for, or one of a kind that may be ignored (§14.2: another unit, several
 * ranges, what cannot be read); `unsatisfiable` where the file has no such bytes.
 */
export const rangeOf = (header: string | undefined, size: number): ByteRange | "whole" | "unsatisfiable" => {
  const [, first = "", last = ""] = form.exec(header ?? "") ?? []
  if (first === "" && last === "") return "whole"
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size - 1 }
  }
  const from = Number(first)
  const to = last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== "" && Number(last) < from) return "whole"
  return from >= size ? "unsatisfiable" : { from, to }
}
