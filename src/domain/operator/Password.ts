/**
 * Which passwords people may choose: at least 12 characters, and not one that attackers try first. Instead of a long list of common passwords, the
 * check recognises how they are built: a few common words, keyboard rows or sequences, in any case, with digits and signs for letters, repeated or
 * with digits around them.
 */

import { TooMany } from "../Errors.ts"

/**
 * How many passwords are hashed at a time: each hash takes 32 MiB and a core, and people who sign in can wait while chargers cannot. And how many may
 * wait, which takes the last one a few seconds.
 */
export const passwordsAtOnce = { atOnce: 2, waiting: 32, waitingPerName: 8 }

export const tooManyPasswords = new TooMany({
  code: "passwords_at_once",
  message: "Too many passwords are being checked at this moment. Try again in a few seconds.",
  retryAfterSeconds: 5
})

/** The minimum length in characters. */
export const passwordLeast = 12

/** The maximum length in characters. A longer password is no safer, and hashing it costs time. */
export const passwordMost = 256

/** Words of which common passwords of this length are made. */
const pieces =
  `password passwort passord losenord lozenord motdepasse contrasena senha parola wachtwoord haslo salasana welcome willkommen valkommen bienvenue admin
  administrator root superuser user guest test tester testing demo default changeme change letmein login signin master secret access system server oracle
  qwerty qwertz azerty qwertyuiop asdfghjkl zxcvbnm asdf zxcv qazwsx qazwsxedc football baseball basketball soccer hockey monkey dragon sunshine princess
  shadow superman batman spiderman pokemon starwars iloveyou ilove loveyou lovely love hello freedom whatever trustno michael jennifer jordan hunter ranger
  buster charlie thomas robert daniel jessica ashley nicole summer winter spring autumn sommer monday friday january february march april june july august
  september october november december company computer internet google facebook samsung apple microsoft windows linux ubuntu cisco juniper correct horse
  battery staple correcthorsebatterystaple mustang ferrari porsche mercedes corvette harley charger charging voltlane operator station energy electric
  power please open sesame opensesame enter keyboard mypassword mypass pass passw one two three four five six seven eight nine ten the my is a and i you
  abc xyz god jesus blessed angel money bitcoin crypto`.split(/\s+/)

/** Keyboard rows and character sequences. Any part of at least three characters counts as common. */
const runs = [
  "01234567890123456789",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiop",
  "qwertzuiop",
  "azertyuiop",
  "asdfghjkl",
  "yxcvbnm",
  "zxcvbnm",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "1q2w3e4r5t6y7u8i9o0p",
  "q1w2e3r4t5y6u7i8o9p0",
  "qazwsxedcrfvtgbyhnujm"
]

const signs: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t"
}

const backwards = (text: string): string => [...text].toReversed().join("")

const longestFirst = [...new Set(pieces)].toSorted((a, b) => b.length - a.length)

const allRuns = [...runs, ...runs.map(backwards)]

/** The length of the longest common piece at the start of `text`; 0 if it starts with none. */
const knownStart = (text: string): number => {
  const word = longestFirst.find((one) => text.startsWith(one))?.length ?? 0
  let run = 0
  for (let length = 3; length <= text.length; length++) {
    if (!allRuns.some((one) => one.includes(text.slice(0, length)))) break
    run = length
  }
  const same = /^(.)\1{2,}/u.exec(text)?.[0].length ?? 0
  return Math.max(word, run, same)
}

/** Counts the letters that are in no common piece. Digits and signs around the pieces do not count. */
const unknownLetters = (text: string): number => {
  let rest = text
  let unknown = 0
  while (rest !== "") {
    const known = knownStart(rest)
    if (known === 0 && /^\p{L}/u.test(rest)) unknown++
    rest = rest.slice(Math.max(known, 1))
  }
  return unknown
}

/** Whether the password is one short piece repeated; it is then no safer than that piece. */
const isRepeated = (text: string): boolean => /^(.{1,5})\1+.{0,4}$/su.test(text)

/** With fewer letters than this beside common pieces, a password is easy to guess. */
const unknownLeast = 3

/** Digits alone are usually dates or telephone numbers, so they need at least this many. */
const digitsLeast = 20

const isCommon = (text: string): boolean => {
  if (isRepeated(text) || new Set(text).size < 5) return true
  const plain = [...text].map((one) => signs[one] ?? one).join("")
  const letters = [...text].filter((one) => /\p{L}/u.test(one)).length
  if (letters === 0 && /^[\d\s\p{P}]+$/u.test(text) && text.length < digitsLeast) return true
  return letters > 0 && Math.min(unknownLetters(text), unknownLetters(plain)) < unknownLeast && text.length < 24
}

/** What is wrong with a password, as a message for the person; undefined if nothing is. `about` is what others know of the person. */
export const passwordProblem = (password: string, about: ReadonlyArray<string>): string | undefined => {
  const text = password.normalize("NFKC")
  const length = [...text].length
  if (length < passwordLeast) return `Must have at least ${passwordLeast} characters`
  if (length > passwordMost) return `Must have at most ${passwordMost} characters`
  const lower = text.toLowerCase()
  const known = about.flatMap((one) => one.toLowerCase().split(/[\s@]+/)).filter((one) => one.length > 3)
  const without = known.reduce((left, one) => left.replaceAll(one, ""), lower)
  if (isCommon(lower) || (without !== lower && (without.length < 6 || isCommon(without))))
    return "Is one of the passwords that attackers try first: choose several words that do not belong together"
  return undefined
}
