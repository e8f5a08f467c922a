/**
 * Data that the meter signed (OCPI 2.2.1 §10.4.8 SignedData). A cut text would make its signature invalid. So values that are too long for
 * the version are left out, and the whole object if no value remains. 2.1.1 has no signed data.
 */
import type { SignedData } from "../../../domain/session/SignedData.ts"
import { notApplicable } from "./Figures.ts"
import { field } from "../Strict.ts"

interface Room {
  readonly data: number
  /** 2.2 allows printable ASCII only. */
  readonly isAscii: boolean
}

const keyMost = 512

const fits = (text: string, most: number, { isAscii }: Room): boolean =>
  [...text].length <= most && (!isAscii || /^[\u0020-\u007e]*$/.test(text))

const signed = (room: Room) => (given: SignedData | undefined) => {
  const values = given?.signedValues.filter(({ signedData }) => fits(signedData, room.data, room)) ?? []
  if (given === undefined || values.length === 0) return undefined
  const { encodingMethod, publicKey } = given
  return {
    encoding_method: encodingMethod ?? notApplicable,
    ...field("public_key", publicKey !== undefined && fits(publicKey, keyMost, room) ? publicKey : undefined),
    signed_values: values.map(({ nature, plainData, signedData }) => ({
      nature,
      plain_data: plainData !== undefined && fits(plainData, room.data, room) ? plainData : notApplicable,
      signed_data: signedData
    }))
  }
}

export const signedDataV22 = signed({ data: 512, isAscii: true })
export const signedDataV221 = signed({ data: 5000, isAscii: false })
